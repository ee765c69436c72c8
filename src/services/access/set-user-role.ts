import type { Role } from "../../domain/access/permissions";
import { AppError } from "../../domain/app-error";
import type { PrismaClient } from "../../store/postgres";
import { type AuditContext, writeAudit } from "../audit/write-audit";
import { lockStaffTarget, requireAnotherAdmin, requireAuthorityOver, requireVersion } from "./staff-change";

export type SetUserRole = { id: string; role: Role; reason: string; version: number };

/**
 * Takes effect at once: each request reads the role from the user's row.
 * @throws AppError NOT_FOUND | CONFLICT (stale version) | FORBIDDEN (oneself, an admin, the last admin)
 */
export async function setUserRole(
  prisma: PrismaClient,
  audit: AuditContext,
  { id, role, reason, version }: SetUserRole,
): Promise<void> {
  await prisma.$transaction(async tx => {
    const user = await lockStaffTarget(tx, id);
    if (audit.actor.id === id) throw new AppError("FORBIDDEN", "You cannot change your own role.");
    requireAuthorityOver(user, audit.actor);
    requireVersion(user, version);
    if (role !== "admin") await requireAnotherAdmin(tx, user);
    await tx.user.update({ where: { id }, data: { role, version: { increment: 1 } }, select: { id: true } });
    await writeAudit(tx, audit, {
      target: `user:${user.username}`,
      before: { id, role: user.role },
      after: { id, role },
      reason,
    });
  });
}
