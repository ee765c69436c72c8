import {
  type Action,
  type Decision,
  decide,
  decideForToken,
  isRole,
  type Role,
} from "../../domain/access/permissions";
import type { PrismaClient } from "../../store/postgres";
import { hashToken } from "./create-token";

/** Who calls: a person with a session, or a machine with a token. */
export type Actor = {
  kind: "user" | "token";
  id: string;
  name: string;
  /** `member`, which may do nothing here, for a token that has scopes instead. */
  role: Role;
  /** Only of tokens, and only if they have no role. */
  scopes?: readonly string[];
};

export function decideFor(actor: Actor, action: Action, offSwitches: ReadonlySet<Action>): Decision {
  const { kind, role, scopes } = actor;
  if (kind === "user") return decide(role, action, offSwitches);
  return decideForToken({ role: scopes ? null : role, scopes: scopes ?? [] }, action, offSwitches);
}

/** How exact `last_used_at` is: a token in constant use writes its row once in so long. */
const TOUCH_EVERY_MS = 60_000;
const BEARER = /^Bearer +(fg_[\w-]{43})$/i;

/** Other schemes are not ours: a proxy in front may ask browsers for Basic. */
export const carriesToken = (authorization: string) => /^bearer\b/i.test(authorization);

/** The machine of an Authorization header; null for a token that is unknown, revoked or expired. */
export async function readTokenActor(prisma: PrismaClient, authorization: string): Promise<Actor | null> {
  const secret = BEARER.exec(authorization)?.[1];
  if (secret === undefined) return null;
  const token = await prisma.serviceToken.findUnique({ where: { hash: hashToken(secret) } });
  const now = Date.now();
  if (!token || token.revokedAt || (token.expiresAt && token.expiresAt.getTime() <= now)) return null;
  if (now - (token.lastUsedAt?.getTime() ?? 0) > TOUCH_EVERY_MS) {
    await prisma.serviceToken.updateMany({ where: { id: token.id }, data: { lastUsedAt: new Date(now) } });
  }
  const { id, name, role, scopes } = token;
  if (role === null) return { kind: "token", id, name, role: "member", scopes };
  return isRole(role) ? { kind: "token", id, name, role } : null;
}
