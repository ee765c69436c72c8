import type { PrismaClient } from "../../store/postgres";
import { type AuditContext, writeAudit } from "../audit/write-audit";
import { changeRollout } from "./change-rollout";

/** Sets how often the worker requests a rebuild; null for never. A rebuild still waits for its promotion. */
export async function setRebuildSchedule(
  prisma: PrismaClient,
  audit: AuditContext,
  { everyHours, reason }: { everyHours: number | null; reason: string },
): Promise<void> {
  await changeRollout(prisma, null, async tx => {
    const before = await tx.filterRollout.findUnique({ where: { id: 1 } });
    await tx.filterRollout.update({
      where: { id: 1 },
      data: { rebuildEveryHours: everyHours, scheduleSetBy: audit.actor.name },
    });
    await writeAudit(tx, audit, {
      target: "filter:schedule",
      before: { everyHours: before?.rebuildEveryHours ?? null },
      after: { everyHours },
      reason,
    });
  });
}
