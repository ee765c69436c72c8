import type { PrismaClient } from "../../store/postgres";
import { writeAudit } from "../audit/write-audit";
import { bySystem } from "./advance-version";
import { changeRollout, versionTarget } from "./change-rollout";

/** Ends the bake of a version: from now on it is not rolled back automatically. */
export async function endBake(
  prisma: PrismaClient,
  version: number,
  rows: { checked: number },
): Promise<void> {
  await changeRollout(prisma, null, async tx => {
    const { count } = await tx.filterVersion.updateMany({
      where: { version, state: "active", bakeUntil: { not: null } },
      data: { bakeUntil: null },
    });
    if (count === 0) return;
    await writeAudit(tx, bySystem("filter.baked"), {
      target: versionTarget(version),
      after: { lookedUp: rows.checked, missing: 0 },
      reason: "No check failed during the bake.",
    });
  });
}
