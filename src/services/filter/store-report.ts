import type { VerificationReport } from "../../domain/filter/filter-gates";
import type { PrismaClient } from "../../store/postgres";
import { writeAudit } from "../audit/write-audit";
import { bySystem } from "./advance-version";
import { changeRollout, versionTarget } from "./change-rollout";

/**
 * Keeps what a verification measured. One of every row that passed also takes back that the version is
 * damaged; a sample may miss the few names that it lacks.
 */
export async function storeReport(
  prisma: PrismaClient,
  version: number,
  report: VerificationReport,
  { passed = false }: { passed?: boolean } = {},
): Promise<void> {
  const isSound = passed && report.scope === "every-row";
  await changeRollout(prisma, null, async tx => {
    await tx.filterVersion.update({
      where: { version },
      data: { report, verifyRequest: null, ...(isSound ? { failure: null } : {}) },
    });
    await writeAudit(tx, bySystem("filter.verified"), {
      target: versionTarget(version),
      after: { checked: report.rows.checked, missed: report.rows.missed, sealed: report.shards.sealed },
      outcome: report.rows.missed > 0 || report.shards.sealed < 256 ? "failed" : "ok",
    });
  });
}
