import { AppError } from "../../domain/app-error";
import type { PrismaClient } from "../../store/postgres";
import { type AuditContext, writeAudit } from "../audit/write-audit";
import { changeRollout, findVersion, versionTarget } from "./change-rollout";

export type Traffic = {
  version: number;
  /** Shadow sampling rate: per cent of the reads that ask both versions and compare. */
  shadowPercent: number;
  /** Canary weight: per cent of the reads that the candidate answers. */
  canaryPercent: number;
  revision: number;
  reason: string;
};

/**
 * Sets the shadow sampling rate and the canary weight of a ready version.
 * @throws AppError NOT_FOUND | CONFLICT
 */
export async function setTraffic(prisma: PrismaClient, audit: AuditContext, traffic: Traffic): Promise<void> {
  const { version, shadowPercent, canaryPercent, revision, reason } = traffic;
  await changeRollout(prisma, revision, async tx => {
    const before = await findVersion(tx, version);
    if (before.state !== "ready") {
      throw new AppError("CONFLICT", `v${version} is ${before.state}. Only a ready version can get reads.`);
    }
    const startsComparing = shadowPercent > 0 && before.shadowPercent === 0;
    await tx.filterVersion.update({
      where: { version },
      data: { shadowPercent, canaryPercent, ...(startsComparing ? { shadowSince: new Date() } : {}) },
    });
    await writeAudit(tx, audit, {
      target: versionTarget(version),
      before: { shadowPercent: before.shadowPercent, canaryPercent: before.canaryPercent },
      after: { shadowPercent, canaryPercent },
      reason,
    });
  });
}
