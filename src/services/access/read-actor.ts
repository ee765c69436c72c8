import type { AccountList } from "../../domain/access/account-binding";
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

/** The caller: a user with a session, or a service token. */
export type Actor = {
  kind: "user" | "token";
  id: string;
  name: string;
  /** `member`, which has no permission, for a token with scopes. */
  role: Role;
  /** Set for tokens without a role. */
  scopes?: readonly string[];
  /** Set for tokens: the accounts that it may submit orders for. */
  accounts?: AccountList;
};

export function decideFor(actor: Actor, action: Action, offSwitches: ReadonlySet<Action>): Decision {
  const { kind, role, scopes } = actor;
  if (kind === "user") return decide(role, action, offSwitches);
  return decideForToken({ role: scopes ? null : role, scopes: scopes ?? [] }, action, offSwitches);
}

/** The precision of `last_used_at`: a token in constant use writes its row once in this time. */
const TOUCH_EVERY_MS = 60_000;
const BEARER = /^Bearer +(fg_[\w-]{43})$/i;

/** Other schemes are ignored: a proxy may ask browsers for Basic. */
export const carriesToken = (authorization: string) => /^bearer\b/i.test(authorization);

/** The hash of an Authorization header's token; null for text that can't be one. */
export function tokenHash(authorization: string): string | null {
  const secret = BEARER.exec(authorization)?.[1];
  return secret === undefined ? null : hashToken(secret);
}

/** The token with this hash; null when it is unknown, revoked or expired. */
export async function readTokenActor(prisma: PrismaClient, hash: string): Promise<Actor | null> {
  const token = await prisma.serviceToken.findUnique({ where: { hash } });
  const now = Date.now();
  if (!token || token.revokedAt || (token.expiresAt && token.expiresAt.getTime() <= now)) return null;
  if (now - (token.lastUsedAt?.getTime() ?? 0) > TOUCH_EVERY_MS) {
    await prisma.serviceToken.updateMany({ where: { id: token.id }, data: { lastUsedAt: new Date(now) } });
  }
  const { id, name, role, scopes, accounts } = token;
  if (role === null) return { kind: "token", id, name, role: "member", scopes, accounts };
  return isRole(role) ? { kind: "token", id, name, role, accounts } : null;
}
