import type { PrismaClient } from "../../store/postgres";
import { readLabRow } from "./lab-row";

/** Runs that no worker claimed, or whose worker is gone. The next worker removes their keys. */
export async function failAbandonedRuns(prisma: PrismaClient): Promise<void> {
  const gone = await prisma.labRun.findMany({
    where: { state: { in: ["requested", "running"] }, leaseUntil: { lt: new Date() } },
  });
  for (const row of gone.map(readLabRow)) {
    const failure =
      row.state === "requested"
        ? "No lab worker took it up: is one running?"
        : "Its worker stopped in the middle of it.";
    await prisma.labRun.updateMany({
      where: { id: row.id, state: row.state, leaseUntil: row.leaseUntil },
      data: { state: "failed", failure, endedAt: new Date() },
    });
  }
}
