import type { PrismaClient } from "../../store/postgres";
import { writeAudit } from "../audit/write-audit";
import { bySystem } from "./advance-version";
import { changeRollout, versionTarget } from "./change-rollout";

/** Takes a request for a verification back that could not be carried out; what the last one found stays. */
export async function endVerification(prisma: PrismaClient, version: number, reason: string): Promise<void> {
  await changeRollout(prisma, null, async tx => {
    await tx.filterVersion.update({ where: { version }, data: { verifyRequest: null } });
    await writeAudit(tx, bySystem("filter.verified"), {
      ...{ target: versionTarget(version), reason, outcome: "failed" },
    });
  });
}
