import { AppError } from "../../domain/app-error";
import { bakeTrigger, type GateTotals } from "../../domain/filter/bake";
import { DECISIVE_GATES } from "../../domain/filter/filter-gates";
import { CANDIDATE_STATES } from "../../domain/filter/filter-version";
import type { Engines } from "../../filter/detect-engine";
import { findMissing } from "../../filter/find-missing";
import { probeShards } from "../../filter/probe-shards";
import type { SeenVersion } from "../../filter/shard-repairer";
import type { Logger } from "../../runtime/logger";
import { bySystem } from "../../services/filter/advance-version";
import { endBake } from "../../services/filter/end-bake";
import { expireArming } from "../../services/filter/expire-arming";
import { type PromoteDeps, promoteVersion } from "../../services/filter/promote-version";
import { readGateTotals } from "../../services/filter/read-gate-totals";
import { requestRebuild } from "../../services/filter/request-rebuild";
import { rollbackVersion } from "../../services/filter/rollback-version";
import { shardName } from "../../store/redis-keys";

export type RolloutControllerOptions = PromoteDeps & { engines: Engines; log: Logger };

/** Names of the database that are looked up each second while a version bakes. */
const BAKE_ROWS = 1_000;
/** Readers follow within a second, and rollups count by the second. */
const SETTLED_AFTER_MS = 3_000;

/**
 * Carries out what operators decided beforehand, once a second:
 *   armed      every gate passes before the deadline ──> promote
 *   baking     something is wrong ──> back to the previous version; calm until the end ──> done
 *   schedule   the last version is old enough ──> ask for the next one
 */
export class RolloutController {
  /** What was looked up in the version that bakes. */
  private rows = { activatedMs: 0, checked: 0, missing: 0 };

  constructor(private readonly options: RolloutControllerOptions) {}

  /** @returns the version that was left because it is damaged, if one was */
  async look(seen: readonly SeenVersion[]): Promise<number | null> {
    const damaged = await this.bake(seen);
    await this.promoteArmed();
    await this.keepSchedule();
    return damaged;
  }

  private async bake(seen: readonly SeenVersion[]): Promise<number | null> {
    const active = seen.find(({ version }) => version.state === "active");
    const previous = seen.find(({ version }) => version.state === "previous");
    if (!active?.version.bakeUntil || !previous) return null;
    const { version, broken } = active;
    const rows = await this.lookUpRows(active);
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
    // A version that is damaged itself, perhaps a moment ago, is no way out: both are repaired instead.
    const wayBack = await probeShards(this.options.engines[previous.version.engine], previous.version);
    if (wayBack.broken.length > 0) return null;
    this.options.log.error({ version: version.version, trigger }, "the filter is rolled back");
    try {
      await rollbackVersion(this.options.prisma, bySystem("filter.rollback"), {
        ...{ revision: null, expected: version.version, damaged: true },
        reason: `Automatic: ${trigger}.`,
      });
    } catch (error) {
      // An operator was faster.
      if (!(error instanceof AppError)) throw error;
      this.options.log.warn({ version: version.version, why: error.message }, "not rolled back");
    }
    return version.version;
  }

  private async lookUpRows({ version, broken }: SeenVersion) {
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

  /** Without the moment in which readers still followed the version before. */
  private async totalsSince(switchedAt: Date | null): Promise<GateTotals | null> {
    const fromMs = (switchedAt?.getTime() ?? Number.POSITIVE_INFINITY) + SETTLED_AFTER_MS;
    if (fromMs > Date.now()) return null;
    return readGateTotals(this.options.redis, { fromMs, toMs: Date.now() }).catch(() => null);
  }

  private async promoteArmed(): Promise<void> {
    const { prisma, log } = this.options;
    // Read before the version: an operator who disarms it meanwhile raises the revision.
    const rollout = await prisma.filterRollout.findUniqueOrThrow({ where: { id: 1 } });
    const ready = await prisma.filterVersion.findFirst({ where: { state: "ready" } });
    if (!ready || (!ready.autoPromote && !ready.armedUntil)) return;
    if (ready.armedUntil && ready.armedUntil < new Date()) return expireArming(prisma, ready.version);
    const { version, armedBy } = ready;
    const reason = armedBy
      ? `Every gate passes; armed by ${armedBy}.`
      : (ready.reason ?? "Nothing else can answer.");
    try {
      const only = ready.autoPromote ? DECISIVE_GATES : undefined;
      const promotion = { version, revision: Number(rollout.revision), waive: [], only, reason };
      await promoteVersion(this.options, bySystem("filter.promote"), promotion);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      log.debug({ version, why: error.message }, "not promoted yet");
    }
  }

  private async keepSchedule(): Promise<void> {
    const { prisma } = this.options;
    const rollout = await prisma.filterRollout.findUnique({ where: { id: 1 } });
    if (!rollout?.rebuildEveryHours) return;
    const candidates = await prisma.filterVersion.count({ where: { state: { in: [...CANDIDATE_STATES] } } });
    const last = await prisma.filterVersion.findFirst({ orderBy: { version: "desc" } });
    if (candidates > 0 || !last) return;
    if (Date.now() - last.createdAt.getTime() < rollout.rebuildEveryHours * 3_600_000) return;
    await requestRebuild(prisma, bySystem("filter.rebuild"), {
      capacity: Number(last.capacity ?? last.shardCapacity * 256),
      errorRate: last.errorRate,
      engine: last.engine as "redisbloom" | "bitmap",
      reason: `Every ${rollout.rebuildEveryHours} hours, as set by ${rollout.scheduleSetBy}.`,
    });
  }
}
