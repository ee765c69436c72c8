import { AppError } from "../../domain/app-error";
import { CANDIDATE_STATES } from "../../domain/filter/filter-version";
import type { EngineName } from "../../filter/layout";
import { shardCapacityFor } from "../../filter/layout";
import type { PrismaClient } from "../../store/postgres";
import { type AuditContext, writeAudit } from "../audit/write-audit";
import { changeRollout, versionTarget } from "./change-rollout";

export type RebuildRequest = {
  /** Capacity of all shards together. */
  capacity: number;
  errorRate: number;
  engine: EngineName;
  reason: string;
  /** Promoted after its verification without a decision: only when no version can answer. */
  autoPromote?: boolean;
};

/**
 * Requests a new version; the worker starts within a second.
 * @throws AppError CONFLICT while there is a candidate
 */
export async function requestRebuild(
  prisma: PrismaClient,
  audit: AuditContext,
  request: RebuildRequest,
): Promise<{ version: number }> {
  const { capacity, errorRate, engine, reason, autoPromote = false } = request;
  return changeRollout(prisma, null, async tx => {
    const candidate = await tx.filterVersion.findFirst({ where: { state: { in: [...CANDIDATE_STATES] } } });
    if (candidate) {
      throw new AppError(
        "CONFLICT",
        `v${candidate.version} is ${candidate.state} already. Promote or cancel it first.`,
      );
    }
    const { _max } = await tx.filterVersion.aggregate({ _max: { version: true } });
    const version = (_max.version ?? 0) + 1;
    await tx.filterVersion.create({
      data: {
        version,
        engine,
        errorRate,
        reason,
        autoPromote,
        state: "requested",
        capacity: BigInt(capacity),
        shardCapacity: shardCapacityFor(capacity),
        requestedBy: audit.actor.name,
      },
      select: { version: true },
    });
    await writeAudit(tx, audit, {
      target: versionTarget(version),
      after: { state: "requested", capacity, errorRate, engine },
      reason,
      answer: { version },
    });
    return { version };
  });
}
