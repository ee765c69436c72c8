import { AppError } from "../../domain/app-error";
import { isOpenRun } from "../../domain/lab/lab-run";
import type { PrismaClient } from "../../store/postgres";
import { type AuditContext, writeAudit } from "../audit/write-audit";
import { labTarget, readLabRow } from "./lab-row";

/**
 * Ends a run; its worker notices within a second, and removes its keys.
 * @throws AppError NOT_FOUND | CONFLICT when it has ended
 */
export async function cancelLabRun(prisma: PrismaClient, audit: AuditContext, id: bigint): Promise<void> {
  await prisma.$transaction(async tx => {
    const found = await tx.labRun.findUnique({ where: { id } });
    if (!found) throw new AppError("NOT_FOUND", `There is no run ${id}.`);
    const { state } = readLabRow(found);
    if (!isOpenRun(state))
      throw new AppError("CONFLICT", `Run ${id} is ${state}: there is nothing to cancel.`);
    // The worker records when it has stopped; a run that no worker has claimed ends at once.
    const ended = state === "requested" ? { state: "cancelled", endedAt: new Date() } : {};
    const { count } = await tx.labRun.updateMany({
      where: { id, state },
      data: { cancelRequestedBy: audit.actor.name, ...ended },
    });
    if (count !== 1)
      throw new AppError("CONFLICT", `Run ${id} has changed in the meantime. Look at it again.`);
    await writeAudit(tx, audit, { target: labTarget(id), before: { state }, after: { state: "cancelled" } });
  });
}
