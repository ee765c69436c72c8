import { AppError } from "../../domain/app-error";
import { requeueDeadLetters } from "../../outbox/dead-letters";
import type { PrismaClient } from "../../store/postgres";
import { type AuditContext, writeAudit } from "../audit/write-audit";

/** Replays dead letters, after their cause was fixed. @throws AppError CONFLICT if none of them is dead now */
export async function replayDeadLetters(
  prisma: PrismaClient,
  audit: AuditContext,
  { seqs, reason }: { seqs: string[]; reason: string },
): Promise<{ replayed: number }> {
  return prisma.$transaction(async tx => {
    const requeued = await requeueDeadLetters(tx, seqs);
    if (requeued.length === 0)
      throw new AppError("CONFLICT", "These events are no dead letters any more. Reload the page.");
    await writeAudit(tx, audit, {
      target: `outbox:${requeued.length} events`,
      after: { seqs: requeued },
      reason,
      answer: { replayed: requeued.length },
    });
    return { replayed: requeued.length };
  });
}
