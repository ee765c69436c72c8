import { AppError } from "../../domain/app-error";
import type { PrismaClient } from "../../store/postgres";
import { type AuditContext, writeAudit } from "../audit/write-audit";

/** Ends all sessions of a user. @throws AppError NOT_FOUND */
export async function revokeSessions(
  prisma: PrismaClient,
  audit: AuditContext,
  { id, reason }: { id: string; reason: string },
): Promise<void> {
  await prisma.$transaction(async tx => {
    const user = await tx.user.findUnique({ where: { id }, select: { username: true } });
    if (!user) throw new AppError("NOT_FOUND", "There is no such user.");
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
