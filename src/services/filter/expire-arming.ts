import type { PrismaClient } from "../../store/postgres";
import { writeAudit } from "../audit/write-audit";
import { bySystem } from "./advance-version";
import { changeRollout, versionTarget } from "./change-rollout";

/** Disarms a version after its deadline: it waits for a new decision. */
export async function expireArming(prisma: PrismaClient, version: number): Promise<void> {
  await changeRollout(prisma, null, async tx => {
    const { count } = await tx.filterVersion.updateMany({
      where: { version, state: "ready", armedUntil: { lt: new Date() } },
      data: { armedUntil: null, armedBy: null },
    });
    if (count === 0) return;
    await writeAudit(tx, bySystem("filter.arm"), {
      target: versionTarget(version),
      after: { armedUntil: null },
      reason: "The deadline passed before every gate passed.",
      outcome: "failed",
    });
  });
}
