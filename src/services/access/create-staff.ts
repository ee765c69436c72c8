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
 * Makes an account with a generated password, which is in the answer and nowhere else. Reserved
 * words do not bind whoever has the database; the rules and the UNIQUE indexes do.
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
    // Whoever has the database vouches for the address.
    const user = await prisma.$transaction(tx =>
      insertStaff(tx, audit, { ...staff, emailVerified: true, hash }),
    );
    return { ...user, password };
  } catch (error) {
    if (violatedConstraint(error) === null) throw error;
    throw new AppError("CONFLICT", "This username or e-mail address, or one that looks like it, is taken.");
  }
}

/** Inside of a transaction of the caller's. */
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

/** 120 random bits, in groups that can be read out and typed. */
export function generatePassword(): string {
  // No l, o, 0, 1: they are mistaken for one another. 32 letters, so that no remainder favours any.
  const letters = "abcdefghijkmnpqrstuvwxyz23456789";
  const chars = [...randomBytes(24)].map(byte => letters[byte % letters.length]);
  return [0, 6, 12, 18].map(start => chars.slice(start, start + 6).join("")).join("-");
}
