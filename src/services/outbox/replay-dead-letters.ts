import { AppError } from "../../domain/app-error";
import { reviveDeadLetters } from "../../outbox/dead-letters";
import type { PrismaClient } from "../../store/postgres";
import { type AuditContext, writeAudit } from "../audit/write-audit";

/** Gives dead letters another try, after their cause was mended. @throws AppError CONFLICT if none is dead any more */
export async function replayDeadLetters(
  prisma: PrismaClient,
  audit: AuditContext,
  { seqs, reason }: { seqs: string[]; reason: string },
): Promise<number> {
  return prisma.$transaction(async tx => {
    const revived = await reviveDeadLetters(tx, seqs);
    if (revived.length === 0) throw new AppError("CONFLICT", "These events are not set aside any more.");
    await writeAudit(tx, audit, {
      target: `outbox:${revived.length} events`,
      after: { seqs: revived },
      reason,
    });
    return revived.length;
  });
}
