import { AppError } from "../../domain/app-error";
import { bakeTrigger, type GateTotals } from "../../domain/filter/bake";
import { DECISIVE_GATES } from "../../domain/filter/filter-gates";
import { CANDIDATE_STATES } from "../../domain/filter/filter-version";
import type { Engines } from "../../filter/detect-engine";
import { findMissing } from "../../filter/find-missing";
import { SHARD_COUNT } from "../../filter/layout";
import { probeShards } from "../../filter/probe-shards";
import type { InspectedVersion } from "../../filter/shard-repairer";
import type { Logger } from "../../runtime/logger";
import { bySystem } from "../../services/filter/advance-version";
import { endBake } from "../../services/filter/end-bake";
import { expireArming } from "../../services/filter/expire-arming";
import { planRebuild } from "../../services/filter/plan-rebuild";
import { type PromoteDeps, promoteVersion } from "../../services/filter/promote-version";
import { readGateTotals } from "../../services/filter/read-gate-totals";
import { requestRebuild } from "../../services/filter/request-rebuild";
import { rollbackVersion } from "../../services/filter/rollback-version";
import { shardName } from "../../store/redis-keys";

export type RolloutControllerOptions = PromoteDeps & { engines: Engines; log: Logger };

/** Names of the database that are checked each second during the bake. */
const BAKE_ROWS = 1_000;
/** Readers follow the pointer within a second, and rollups have a resolution of one second. */
const SETTLING_MS = 3_000;
/** Schedules are in hours. */
const SCHEDULE_EVERY_MS = 10_000;

/**
 * Carries out the decisions of operators, once a second:
 *   armed      every gate passes before the deadline ──> promote
 *   baking     a check fails ──> roll back; no check fails until the end ──> end the bake
 *   schedule   the last version is old enough ──> request the next version
 */
export class RolloutController {
  /** Names that were checked in the baking version. */
  private rows = { activatedMs: 0, checked: 0, missing: 0 };
  private scheduleAtMs = 0;
  /** Why the scheduled version could not be built; the log has it. */
  private scheduleProblem: string | null = null;

  constructor(private readonly options: RolloutControllerOptions) {}

  /** @returns the damaged version that readers left, or null */
  async step(inspected: readonly InspectedVersion[]): Promise<number | null> {
    const damaged = await this.bake(inspected);
    if (inspected.some(({ version }) => version.state === "ready")) await this.promoteArmed();
    if (performance.now() >= this.scheduleAtMs) {
      await this.requestScheduled();
      this.scheduleAtMs = performance.now() + SCHEDULE_EVERY_MS;
    }
    return damaged;
  }

  private async bake(inspected: readonly InspectedVersion[]): Promise<number | null> {
    const active = inspected.find(({ version }) => version.state === "active");
    const previous = inspected.find(({ version }) => version.state === "previous");
    if (!active?.version.bakeUntil || !previous) return null;
    const { version, broken } = active;
    const rows = await this.checkRows(active);
    const trigger = bakeTrigger({
      errorRate: version.errorRate,
      baseline: version.baseline as GateTotals | null,
      since: await this.totalsSince(version.switchedAt),
      brokenShards: broken.map(shardName),
      rows,
    });
    if (trigger === null) {
      if (Date.now() > active.version.bakeUntil.getTime())
        await endBake(this.options.prisma, version.version, rows);
      return null;
    }
    // A damaged version is no rollback target: the worker then repairs both versions.
    const target = await probeShards(this.options.engines[previous.version.engine], previous.version);
    if (target.broken.length > 0) return null;
    await this.rollBack(version.version, trigger);
    return version.version;
  }

  private async rollBack(version: number, trigger: string): Promise<void> {
    const { prisma, log } = this.options;
    log.error({ version, trigger }, "filter version rolled back");
    try {
      await rollbackVersion(prisma, bySystem("filter.rollback"), {
        revision: null,
        expected: version,
        damaged: true,
        reason: `Automatic: ${trigger}.`,
      });
    } catch (error) {
      // An operator has changed the rollout first.
      if (!(error instanceof AppError)) throw error;
      log.warn({ version, reason: error.message }, "filter version not rolled back");
    }
  }

  private async checkRows({ version, broken }: InspectedVersion) {
    const activatedMs = version.activatedAt?.getTime() ?? 0;
    if (this.rows.activatedMs !== activatedMs) this.rows = { activatedMs, checked: 0, missing: 0 };
    if (broken.length > 0) return this.rows;
    const { pool, engines } = this.options;
    const engine = engines[version.engine];
    const found = await findMissing({ pool, engine, version }, BAKE_ROWS);
    this.rows.checked += found.checked;
    this.rows.missing += found.missing.length;
    return this.rows;
  }

  /** Without the seconds in which readers still followed the previous version. */
  private async totalsSince(switchedAt: Date | null): Promise<GateTotals | null> {
    const fromMs = (switchedAt?.getTime() ?? Number.POSITIVE_INFINITY) + SETTLING_MS;
    if (fromMs > Date.now()) return null;
    return readGateTotals(this.options.redis, { fromMs, toMs: Date.now() }).catch(() => null);
  }

  private async promoteArmed(): Promise<void> {
    const { prisma, log } = this.options;
    // Read before the version: an operator who disarms the version raises the revision.
    const rollout = await prisma.filterRollout.findUniqueOrThrow({ where: { id: 1 } });
    const ready = await prisma.filterVersion.findFirst({ where: { state: "ready" } });
    if (!ready || (!ready.autoPromote && !ready.armedUntil)) return;
    if (ready.armedUntil && ready.armedUntil < new Date()) return expireArming(prisma, ready.version);
    const { version, armedBy } = ready;
    const reason = armedBy
      ? `Every gate passes; armed by ${armedBy}.`
      : (ready.reason ?? "No other version can answer.");
    try {
      const only = ready.autoPromote ? DECISIVE_GATES : undefined;
      const promotion = { version, revision: Number(rollout.revision), waive: [], only, reason };
      await promoteVersion(this.options, bySystem("filter.promote"), promotion);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      log.debug({ version, reason: error.message }, "filter version not promoted yet");
    }
  }

  private async requestScheduled(): Promise<void> {
    const { prisma, log } = this.options;
    const rollout = await prisma.filterRollout.findUnique({ where: { id: 1 } });
    if (!rollout?.rebuildEveryHours) return;
    const candidates = await prisma.filterVersion.count({ where: { state: { in: [...CANDIDATE_STATES] } } });
    const last = await prisma.filterVersion.findFirst({ orderBy: { version: "desc" } });
    if (candidates > 0 || !last) return;
    if (Date.now() - last.createdAt.getTime() < rollout.rebuildEveryHours * 3_600_000) return;
    const request = {
      capacity: Number(last.capacity ?? last.shardCapacity * SHARD_COUNT),
      errorRate: last.errorRate,
      engine: last.engine as "redisbloom" | "bitmap",
    };
    const { problem } = await planRebuild(this.options, request);
    if (problem !== null && problem !== this.scheduleProblem)
      log.error({ problem }, "scheduled rebuild not requested");
    this.scheduleProblem = problem;
    if (problem !== null) return;
    const reason = `Scheduled every ${rollout.rebuildEveryHours} hours by ${rollout.scheduleSetBy}.`;
    await requestRebuild(prisma, bySystem("filter.rebuild"), { ...request, reason });
  }
}
