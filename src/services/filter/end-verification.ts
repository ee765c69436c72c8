import type { PrismaClient } from "../../store/postgres";
import { writeAudit } from "../audit/write-audit";
import { bySystem } from "./advance-version";
import { changeRollout, versionTarget } from "./change-rollout";

/** Withdraws the request for a verification that failed; the last report stays. */
export async function endVerification(prisma: PrismaClient, version: number, reason: string): Promise<void> {
  await changeRollout(prisma, null, async tx => {
    await tx.filterVersion.update({ where: { version }, data: { verifyRequest: null } });
    await writeAudit(tx, bySystem("filter.verified"), {
      target: versionTarget(version),
      reason,
      outcome: "failed",
    });
  });
}
