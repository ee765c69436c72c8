import { AppError } from "../../domain/app-error";
import type { PrismaClient } from "../../store/postgres";
import { type AuditContext, writeAudit } from "../audit/write-audit";
import { changeRollout, findVersion, versionTarget } from "./change-rollout";

export type Traffic = {
  version: number;
  /** Per cent of the reads that ask both versions and compare. */
  shadowPercent: number;
  /** Per cent of the reads that the candidate answers. */
  canaryPercent: number;
  revision: number;
  reason: string;
};

/**
 * Lets a verified version see, or answer, a share of the reads.
 * @throws AppError NOT_FOUND | CONFLICT
 */
export async function setTraffic(prisma: PrismaClient, audit: AuditContext, traffic: Traffic): Promise<void> {
  const { version, shadowPercent, canaryPercent, revision, reason } = traffic;
  await changeRollout(prisma, revision, async tx => {
    const before = await findVersion(tx, version);
    if (before.state !== "ready") {
      throw new AppError(
        "CONFLICT",
        `v${version} is ${before.state}: only a version that is ready takes reads.`,
      );
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
