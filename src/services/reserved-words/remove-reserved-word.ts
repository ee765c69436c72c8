import { AppError } from "../../domain/app-error";
import type { PrismaClient } from "../../store/postgres";
import { type AuditContext, writeAudit } from "../audit/write-audit";

/** @throws AppError NOT_FOUND, also for the second of two concurrent removals */
export async function removeReservedWord(
  prisma: PrismaClient,
  audit: AuditContext,
  { id, reason }: { id: string; reason: string },
): Promise<void> {
  await prisma.$transaction(async tx => {
    const word = await tx.reservedWord.findUnique({ where: { id } });
    const { count } = await tx.reservedWord.deleteMany({ where: { id } });
    if (!word || count === 0) throw new AppError("NOT_FOUND", "This word is no longer reserved.");
    const before = { id, pattern: word.pattern, kind: word.kind, reason: word.reason };
    await writeAudit(tx, audit, { target: `reserved:${word.pattern}`, before, reason });
  });
}
