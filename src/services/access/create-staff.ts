import { randomBytes, randomUUID } from "node:crypto";
import type { Role } from "../../domain/access/permissions";
import { AppError } from "../../domain/app-error";
import { readUsername } from "../../domain/username/username-policy";
import type { PrismaClient, Tx } from "../../store/postgres";
import { violatedConstraint } from "../../store/unique-violation";
import { type AuditContext, writeAudit } from "../audit/write-audit";
import { hashPassword } from "./hash-password";

export type NewStaff = { username: string; email: string; role: Role };
export type CreatedStaff = { id: string; username: string; password: string };

/**
 * Creates an account with a generated password, which only the result contains. The username rules and
 * the UNIQUE indexes apply, reserved words do not.
 * @throws AppError BAD_REQUEST | CONFLICT
 */
export async function createStaff(
  prisma: PrismaClient,
  audit: AuditContext,
  staff: NewStaff,
): Promise<CreatedStaff> {
  const password = generatePassword();
  const hash = await hashPassword(password);
  try {
    // The operator of the database confirms the address.
    const user = await prisma.$transaction(tx =>
      insertStaff(tx, audit, { ...staff, emailVerified: true, hash }),
    );
    return { ...user, password };
  } catch (error) {
    if (violatedConstraint(error) === null) throw error;
    throw new AppError("CONFLICT", "This username or e-mail address, or one that looks like it, is taken.");
  }
}

/** Runs in the caller's transaction. */
export async function insertStaff(
  tx: Tx,
  audit: AuditContext,
  { username, email, emailVerified, role, hash }: NewStaff & { emailVerified: boolean; hash: string },
): Promise<{ id: string; username: string }> {
  const name = readUsername(username);
  if (!name.ok) throw new AppError("BAD_REQUEST", name.message, { field: "username", rule: name.rule });
  const id = randomUUID();
  await tx.user.create({
    data: {
      id,
      username: name.username,
      usernameKey: name.key,
      usernameSkeleton: name.skeleton,
      policyVersion: name.policyVersion,
      email,
      emailVerified,
      name: name.username,
      role,
      accounts: { create: { accountId: id, providerId: "credential", password: hash } },
    },
    select: { id: true },
  });
  await writeAudit(tx, audit, { target: `user:${name.username}`, after: { id, email, role } });
  return { id, username: name.username };
}

/** 120 random bits, in groups that are easy to read and type. */
export function generatePassword(): string {
  // Without l, o, 0 and 1, which look alike. 32 characters divide 256, so each is equally likely.
  const letters = "abcdefghijkmnpqrstuvwxyz23456789";
  const chars = [...randomBytes(24)].map(byte => letters[byte % letters.length]);
  return [0, 6, 12, 18].map(start => chars.slice(start, start + 6).join("")).join("-");
}
