import { AppError } from "../../domain/app-error";
import type { Tx } from "../../store/postgres";
import type { AuditActor } from "../audit/write-audit";

export type StaffTarget = {
  id: string;
  username: string;
  role: string;
  disabledAt: Date | null;
  version: number;
};

/**
 * Reads the user and takes a lock over all changes of staff until the transaction ends: of two admins
 * who demote each other, the second must see the first change.
 */
export async function lockStaffTarget(tx: Tx, id: string): Promise<StaffTarget> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('floodgate staff', 0))`;
  const user = await tx.user.findUnique({
    where: { id },
    select: { id: true, username: true, role: true, disabledAt: true, version: true },
  });
  if (!user) throw new AppError("NOT_FOUND", "There is no such user.");
  return user;
}

/**
 * Refuses what anybody but an admin would do to an admin: an operator could lock out all admins but one.
 * Operators on the machine itself, by the command line, may do anything.
 */
export function requireAuthorityOver({ role }: StaffTarget, actor: AuditActor): void {
  if (role !== "admin" || actor.kind === "cli" || actor.role === "admin") return;
  throw new AppError("FORBIDDEN", "Only an admin may do this to the account of an admin.");
}

/** Refuses to overwrite a change that the caller has not seen. */
export function requireVersion(user: StaffTarget, version: number): void {
  if (user.version === version) return;
  throw new AppError(
    "CONFLICT",
    `Another user has changed ${user.username}. Reload the page, then try again.`,
  );
}

/** Refuses a change after which there would be no admin. */
export async function requireAnotherAdmin(tx: Tx, user: StaffTarget): Promise<void> {
  if (user.role !== "admin" || user.disabledAt !== null) return;
  const others = await tx.user.count({
    where: { role: "admin", disabledAt: null, id: { not: user.id } },
    take: 1,
  });
  if (others === 0)
    throw new AppError("FORBIDDEN", `${user.username} is the last admin. Create another admin first.`);
}
