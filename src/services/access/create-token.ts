import { createHash, randomBytes } from "node:crypto";
import { ACTIONS, type Action, type ActionRule, type Role } from "../../domain/access/permissions";
import { AppError } from "../../domain/app-error";
import type { PrismaClient } from "../../store/postgres";
import { violatedConstraint } from "../../store/unique-violation";
import { type AuditContext, writeAudit } from "../audit/write-audit";

/** Secret scanners find leaked tokens by this prefix. */
export const TOKEN_PREFIX = "fg_";

export type NewToken = {
  name: string;
  role: Exclude<Role, "member"> | null;
  scopes: Action[];
  /** Ids and prefixes of the accounts that it may submit orders for. */
  accounts: string[];
  expiresAt: Date | null;
};

export type CreatedToken = { id: string; secret: string };

/** Only the result contains the secret: it is not in the answer that is stored for a repeat. @throws AppError BAD_REQUEST | CONFLICT */
export async function createToken(
  prisma: PrismaClient,
  audit: AuditContext,
  { name, role, scopes, accounts, expiresAt }: NewToken,
): Promise<CreatedToken> {
  if (expiresAt && expiresAt.getTime() <= Date.now()) {
    throw new AppError("BAD_REQUEST", "The expiry is in the past. Choose a later time.");
  }
  checkAccounts({ role, scopes, accounts });
  const secret = newSecret();
  try {
    const id = await prisma.$transaction(async tx => {
      const token = await tx.serviceToken.create({
        data: {
          name,
          role,
          scopes,
          accounts,
          expiresAt,
          hash: hashToken(secret),
          createdBy: audit.actor.name,
        },
        select: { id: true },
      });
      const after = { id: token.id, role, scopes, accounts, expiresAt: expiresAt?.toISOString() ?? null };
      await writeAudit(tx, audit, { target: `token:${name}`, after, answer: { id: token.id } });
      return token.id;
    });
    return { id, secret };
  } catch (error) {
    if (violatedConstraint(error) === null) throw error;
    throw new AppError("CONFLICT", `There already is a token named “${name}”. Choose another name.`);
  }
}

/**
 * Gives a token another secret, for the repeat of its creation: nobody saw the first one, so it must not stay valid.
 * @throws AppError CONFLICT when the token was revoked in the meantime
 */
export async function replaceSecret(
  prisma: PrismaClient,
  audit: AuditContext,
  id: string,
): Promise<CreatedToken> {
  const secret = newSecret();
  await prisma.$transaction(async tx => {
    const [token] = await tx.serviceToken.updateManyAndReturn({
      where: { id, revokedAt: null },
      data: { hash: hashToken(secret) },
      select: { name: true },
    });
    if (!token)
      throw new AppError("CONFLICT", "This token was created, and revoked since. Create another one.");
    await writeAudit(tx, audit, { target: `token:${token.name}`, after: { id, secret: "replaced" } });
  });
  return { id, secret };
}

const newSecret = () => `${TOKEN_PREFIX}${randomBytes(32).toString("base64url")}`;

/** A role that may submit orders needs no accounts: without them it submits for none. */
function checkAccounts({ role, scopes, accounts }: Pick<NewToken, "role" | "scopes" | "accounts">): void {
  const isScoped = scopes.includes("orders.submit");
  if (isScoped && accounts.length === 0)
    throw new AppError(
      "BAD_REQUEST",
      "A token with the scope orders.submit needs accounts: give account ids or prefixes such as “desk-*”, or “*” for all accounts.",
      { rule: "accounts" },
    );
  const { roles }: ActionRule = ACTIONS["orders.submit"];
  const maySubmit = isScoped || (role !== null && roles.includes(role));
  if (maySubmit || accounts.length === 0) return;
  throw new AppError(
    "BAD_REQUEST",
    "This token may not submit orders, so it takes no accounts. Give it the scope orders.submit, or leave the accounts out.",
    { rule: "accounts" },
  );
}

/** 256 random bits need no slow hash. */
export function hashToken(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
