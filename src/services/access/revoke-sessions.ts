import type { PrismaClient } from "../../store/postgres";
import { type AuditContext, writeAudit } from "../audit/write-audit";
import { lockStaffTarget, requireAuthorityOver } from "./staff-change";

/** Ends all sessions of a user. @throws AppError NOT_FOUND | FORBIDDEN (an admin) */
export async function revokeSessions(
  prisma: PrismaClient,
  audit: AuditContext,
  { id, reason }: { id: string; reason: string },
): Promise<void> {
  await prisma.$transaction(async tx => {
    const user = await lockStaffTarget(tx, id);
    requireAuthorityOver(user, audit.actor);
    const { count } = await tx.session.deleteMany({ where: { userId: id } });
    const target = `user:${user.username}`;
    await writeAudit(tx, audit, {
      target,
      before: { id, sessions: count },
      after: { id, sessions: 0 },
      reason,
    });
  });
}
