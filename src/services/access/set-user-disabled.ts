import { AppError } from "../../domain/app-error";
import type { PrismaClient } from "../../store/postgres";
import { type AuditContext, writeAudit } from "../audit/write-audit";
import { lockStaffTarget, requireAnotherAdmin, requireAuthorityOver, requireVersion } from "./staff-change";

export type SetUserDisabled = { id: string; disabled: boolean; reason: string; version: number };

/**
 * Disabling also ends the user's sessions.
 * @throws AppError NOT_FOUND | CONFLICT (stale version) | FORBIDDEN (oneself, an admin, the last admin)
 */
export async function setUserDisabled(
  prisma: PrismaClient,
  audit: AuditContext,
  { id, disabled, reason, version }: SetUserDisabled,
): Promise<void> {
  await prisma.$transaction(async tx => {
    const user = await lockStaffTarget(tx, id);
    if (audit.actor.id === id) throw new AppError("FORBIDDEN", "You cannot disable your own account.");
    requireAuthorityOver(user, audit.actor);
    requireVersion(user, version);
    if (disabled) await requireAnotherAdmin(tx, user);
    const disabledAt = disabled ? (user.disabledAt ?? new Date()) : null;
    await tx.user.update({
      where: { id },
      data: { disabledAt, version: { increment: 1 } },
      select: { id: true },
    });
    const { count } = disabled ? await tx.session.deleteMany({ where: { userId: id } }) : { count: 0 };
    await writeAudit(tx, audit, {
      target: `user:${user.username}`,
      before: { id, disabled: user.disabledAt !== null },
      after: { id, disabled, sessionsEnded: count },
      reason,
    });
  });
}
