import { GATE_LIMITS, type VerificationReport } from "../../domain/filter/filter-gates";
import type { PrismaClient } from "../../store/postgres";
import { writeAudit } from "../audit/write-audit";
import { bySystem } from "./advance-version";
import { changeRollout, versionTarget } from "./change-rollout";

/**
 * Stores the report of a verification. A passed verification of every row also clears the failure of a
 * damaged version; a sample may miss the few names that are missing.
 */
export async function storeReport(
  prisma: PrismaClient,
  version: number,
  report: VerificationReport,
  { passed = false }: { passed?: boolean } = {},
): Promise<void> {
  const clearsFailure = passed && report.scope === "every-row";
  await changeRollout(prisma, null, async tx => {
    await tx.filterVersion.update({
      where: { version },
      data: { report, verifyRequest: null, ...(clearsFailure ? { failure: null } : {}) },
    });
    await writeAudit(tx, bySystem("filter.verified"), {
      target: versionTarget(version),
      after: { checked: report.rows.checked, missed: report.rows.missed, sealed: report.shards.sealed },
      outcome: report.rows.missed > 0 || report.shards.sealed < GATE_LIMITS.shards ? "failed" : "ok",
    });
  });
}
