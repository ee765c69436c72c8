import { AppError } from "../../domain/app-error";
import type { PrismaClient } from "../../store/postgres";
import { type AuditContext, writeAudit } from "../audit/write-audit";

/** The row stays, for the list and the log. @throws AppError NOT_FOUND, also when it is revoked already */
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
    if (count === 0) throw new AppError("NOT_FOUND", "There is no such token in use.");
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
