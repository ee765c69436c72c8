import { AppError } from "../../domain/app-error";
import type { PrismaClient } from "../../store/postgres";
import { type AuditContext, writeAudit } from "../audit/write-audit";

/** Keeps the row for the list and the audit log. @throws AppError NOT_FOUND, also for a revoked token */
export async function revokeToken(
  prisma: PrismaClient,
  audit: AuditContext,
  { id, reason }: { id: string; reason: string },
): Promise<void> {
  await prisma.$transaction(async tx => {
    const { count } = await tx.serviceToken.updateMany({
      where: { id, revokedAt: null },
      data: { revokedAt: new Date() },
    });
    if (count === 0) throw new AppError("NOT_FOUND", "There is no active token with this id.");
    const { name } = await tx.serviceToken.findUniqueOrThrow({ where: { id }, select: { name: true } });
    const target = `token:${name}`;
    await writeAudit(tx, audit, {
      target,
      before: { id, revoked: false },
      after: { id, revoked: true },
      reason,
    });
  });
}
