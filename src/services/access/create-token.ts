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

/** Only the result contains the secret. @throws AppError BAD_REQUEST | CONFLICT */
export async function createToken(
  prisma: PrismaClient,
  audit: AuditContext,
  { name, role, scopes, accounts, expiresAt }: NewToken,
): Promise<{ id: string; secret: string }> {
  if (expiresAt && expiresAt.getTime() <= Date.now()) {
    throw new AppError("BAD_REQUEST", "The expiry is in the past. Choose a later time.");
  }
  checkAccounts({ role, scopes, accounts });
  const secret = `${TOKEN_PREFIX}${randomBytes(32).toString("base64url")}`;
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
      await writeAudit(tx, audit, { target: `token:${name}`, after });
      return token.id;
    });
    return { id, secret };
  } catch (error) {
    if (violatedConstraint(error) === null) throw error;
    throw new AppError("CONFLICT", `There already is a token named “${name}”. Choose another name.`);
  }
}

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
