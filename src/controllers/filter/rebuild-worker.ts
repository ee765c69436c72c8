import { AppError } from "../../domain/app-error";
import { DECISIVE_GATES, evaluateGates, type VerificationReport } from "../../domain/filter/filter-gates";
import { type VersionState, WORK_STATES } from "../../domain/filter/filter-version";
import type { Engines } from "../../filter/detect-engine";
import { ALL_SHARDS, SHARD_COUNT } from "../../filter/layout";
import type { MakeShardsOptions, MakeShardsResult } from "../../filter/make-shards";
import { verifyVersion } from "../../filter/verify";
import { readVersion, type StoredVersion, setProgress, setSnapshot, versionsIn } from "../../filter/versions";
import type { Logger } from "../../runtime/logger";
import { advanceVersion } from "../../services/filter/advance-version";
import { endVerification } from "../../services/filter/end-verification";
import { planRebuild } from "../../services/filter/plan-rebuild";
import { storeReport } from "../../services/filter/store-report";
import type { Pool, PrismaClient } from "../../store/postgres";
import type { RedisClient } from "../../store/redis";
import { shardName } from "../../store/redis-keys";
import { RebuildProgress } from "./rebuild-progress";
import type { Throttle } from "./throttle";

export type RebuildWorkerOptions = {
  pool: Pool;
  prisma: PrismaClient;
  redis: RedisClient;
  engines: Engines;
  throttle: Throttle;
  memory: () => Promise<string>;
  makeShards: (
    version: StoredVersion,
    options: Pick<
      MakeShardsOptions,
      "shards" | "signal" | "onSnapshot" | "onLoaded" | "onProgress" | "throttle"
    >,
  ) => Promise<MakeShardsResult>;
  log: Logger;
};

/** Versions in these states can be verified again on request. */
const VERIFIED_STATES: readonly VersionState[] = ["ready", "active", "previous"];
/** After so many failed attempts the worker discards the version. */
const MAX_ATTEMPTS = 10;
/** Shown instead of a library's error text, which may contain hosts, tables or addresses. */
const UNEXPLAINED = "Redis or Postgres returned an error. See the log of the filter worker.";
const REDIS_DIED =
  "Redis restarted or failed over during the build, perhaps for want of memory. Check Redis' log and its memory limit, then request a rebuild.";
const INTERRUPTED = "The worker stopped before the end.";
const KEYS_REMOVED = "The keys are removed.";
/** An error whose text is written for viewers. */
class ExplainedError extends Error {}
/** Shadow sampling of a version that has just become ready, per cent of the reads. */
const SHADOW_PERCENT = 10;

/**
 * The long tasks on versions, one at a time:
 *
 *   requested ─> building ─> catching-up ─> verifying ─> ready
 *   retiring ─> retired        discarding ─> cancelled | failed
 *
 * When a worker is killed, the next worker restarts its task. When Redis dies during a build, the version
 * fails: an operator requests the next one. A cancelled version's task stops within about a second.
 */
export class RebuildWorker {
  constructor(private readonly options: RebuildWorkerOptions) {}

  /**
   * One task; `idle` when there is none. Rejects when the task must be retried later.
   * @param lost aborts when another worker may have taken over the task
   */
  async step(stopping: AbortSignal, lost: AbortSignal): Promise<"again" | "idle"> {
    const { pool, log } = this.options;
    const versions = await versionsIn(pool, [...WORK_STATES, ...VERIFIED_STATES]);
    const version = versions.find(({ state }) => WORK_STATES.includes(state));
    const subject = version ?? versions.find(({ verifyRequest }) => verifyRequest !== null);
    if (!subject) return "idle";
    const progress = new RebuildProgress(pool, subject, [stopping, lost]);
    try {
      if (version) await this.work(version, progress);
      else await this.reverify(subject, progress);
    } catch (error) {
      // The version was cancelled or its state changed: read the next task from the database.
      if (progress.signal.aborted || error instanceof AppError) return "again";
      await this.recordFailure(subject, error);
      throw error;
    } finally {
      await progress.close().catch(err => log.debug({ err }, "rebuild progress not stored"));
    }
    return "again";
  }

  private async work(version: StoredVersion, progress: RebuildProgress): Promise<void> {
    switch (version.state) {
      case "requested":
        return this.begin(version);
      case "building":
        return this.build(version, progress);
      case "catching-up":
        return this.move(version, "catching-up", "building", "A worker stopped during the catch-up.");
      case "verifying":
        return this.verify(version, progress);
      case "retiring":
        await this.removeKeys(version, progress.signal);
        return this.move(version, "retiring", "retired", KEYS_REMOVED);
      case "discarding":
        return this.finishDiscarding(version, progress.signal);
    }
  }

  private async begin(version: StoredVersion): Promise<void> {
    const { engine, errorRate, shardCapacity } = version;
    // The memory that was free at the time of the request may be in use now.
    const capacity = version.capacity ?? shardCapacity * SHARD_COUNT;
    const { problem } = await planRebuild(this.options, { capacity, errorRate, engine });
    if (problem) return this.discard(version, problem);
    await this.move(version, "requested", "building", "A worker started the build.");
  }

  private async build(version: StoredVersion, progress: RebuildProgress): Promise<void> {
    const { pool, throttle } = this.options;
    const attempts = Number(version.progress.attempts ?? 0) + 1;
    if (attempts > MAX_ATTEMPTS) return this.discard(version, attemptsUsedUp("The build", version));
    const redisIdentity = await this.options.memory();
    const { attempts: before, stopped, redisIdentity: known } = version.progress;
    if (before !== undefined && stopped !== true && known !== undefined && known !== redisIdentity)
      return this.discardAfterRedisDied(version);
    await setProgress(pool, version.version, { attempts, redisIdentity, stopped: false });
    progress.update({ phase: "clearing" });
    // Another attempt or another database may have left keys of this version number.
    await this.removeKeys(version, progress.signal);
    const result = await this.options.makeShards(version, {
      shards: ALL_SHARDS,
      signal: progress.signal,
      throttle: () => throttle.wait(),
      onProgress: build => progress.update({ ...build, throttle: throttle.reason }),
      onSnapshot: xmin => setSnapshot(pool, version.version, xmin),
      onLoaded: async rows => {
        await this.move(version, "building", "catching-up", "The shards contain the snapshot.");
        progress.update({ phase: "catching-up", rows });
      },
    });
    if (result.overfull.length > 0) return this.discard(version, describeOverfull(version, result.overfull));
    await setProgress(pool, version.version, { ...result, builtAt: new Date().toISOString() });
    await this.move(version, "catching-up", "verifying", `${result.replayed} events were replayed.`);
  }

  private async verify(version: StoredVersion, progress: RebuildProgress): Promise<void> {
    const isSameMemory = async () => (await this.options.memory()) === version.progress.memory;
    if (!(await isSameMemory())) {
      if (version.progress.stopped !== true) return this.discardAfterRedisDied(version);
      return this.move(version, "verifying", "building", "Redis restarted while no worker ran.");
    }
    const attempts = Number(version.progress.verifications ?? 0) + 1;
    if (attempts > MAX_ATTEMPTS) return this.discard(version, attemptsUsedUp("The verification", version));
    // Counted first: an attempt that throws or stops the worker counts as well.
    await setProgress(this.options.pool, version.version, { verifications: attempts, stopped: false });
    const report = await this.compare(version, "sample", progress);
    if (!(await isSameMemory())) return this.discardAfterRedisDied(version);
    const gates = decisiveGates(version, report);
    const unknown = gates.find(gate => gate.verdict === "no data");
    if (unknown && attempts < MAX_ATTEMPTS) {
      throw new ExplainedError(`The verification has no data: ${unknown.title}: ${unknown.value}.`);
    }
    const failed = gates.find(gate => gate.verdict !== "pass");
    if (failed) {
      await storeReport(this.options.prisma, version.version, report);
      return this.discard(version, `${failed.title}: ${failed.value}.`);
    }
    await advanceVersion(this.options.prisma, {
      version: version.version,
      from: "verifying",
      to: "ready",
      data: { report, shadowPercent: SHADOW_PERCENT, shadowSince: new Date() },
      reason: "Every gate of the verification passes.",
    });
  }

  private async reverify(version: StoredVersion, progress: RebuildProgress): Promise<void> {
    const { pool, prisma } = this.options;
    const tries = Number(version.progress.tries ?? 0) + 1;
    await setProgress(pool, version.version, { tries: tries > MAX_ATTEMPTS ? 0 : tries });
    if (tries > MAX_ATTEMPTS) {
      return endVerification(prisma, version.version, attemptsUsedUp("The verification", version));
    }
    const report = await this.compare(version, version.verifyRequest ?? "sample", progress);
    await setProgress(pool, version.version, { tries: 0 });
    const passed = decisiveGates(version, report).every(gate => gate.verdict === "pass");
    await storeReport(prisma, version.version, report, { passed });
  }

  private compare(version: StoredVersion, scope: VerificationReport["scope"], progress: RebuildProgress) {
    const { pool, engines } = this.options;
    return verifyVersion({
      pool,
      version,
      scope,
      engine: engines[version.engine],
      signal: progress.signal,
      onProgress: ({ checked }) => progress.update({ phase: "verifying", checked }),
    });
  }

  /** One key at a time, so that the removal does not slow down Redis for other clients. */
  private async removeKeys(version: StoredVersion, signal: AbortSignal): Promise<void> {
    for (const shard of ALL_SHARDS) {
      signal.throwIfAborted();
      await this.options.engines[version.engine].drop(version, shard);
    }
  }

  private move(version: StoredVersion, from: VersionState, to: VersionState, reason: string): Promise<void> {
    return advanceVersion(this.options.prisma, { version: version.version, from, to, reason });
  }

  private async finishDiscarding(version: StoredVersion, signal: AbortSignal): Promise<void> {
    await this.removeKeys(version, signal);
    const where = { version: version.version };
    const failure = (await this.options.prisma.filterVersion.findUnique({ where }))?.failure;
    await this.move(version, "discarding", failure ? "failed" : "cancelled", failure ?? KEYS_REMOVED);
  }

  /** Starts from the version's present state, which may have changed since it was read. */
  private async discard({ version }: StoredVersion, failure: string): Promise<void> {
    const state = (await readVersion(this.options.pool, version))?.state;
    if (!state) return;
    await advanceVersion(this.options.prisma, {
      version,
      from: state,
      to: "discarding",
      data: { failure },
      reason: failure,
    });
  }

  /** The build may be what Redis died of: then each resumption would end Redis again. */
  private async discardAfterRedisDied(version: StoredVersion): Promise<void> {
    await setProgress(this.options.pool, version.version, { redisDied: true });
    await this.discard(version, REDIS_DIED);
  }

  private async recordFailure(version: StoredVersion, error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    if (version.state === "building" && message.includes("OOM ")) {
      return this.discard(version, "Redis ran out of memory. Add memory, or request a smaller version.");
    }
    const lastError = error instanceof ExplainedError ? message : UNEXPLAINED;
    await setProgress(this.options.pool, version.version, { lastError }).catch(() => {});
  }
}

/** The gates that depend on the report alone. */
function decisiveGates({ errorRate }: StoredVersion, report: VerificationReport) {
  const gates = evaluateGates({ errorRate, report, shadow: null, outboxLagSeconds: null, nowMs: Date.now() });
  return gates.filter(({ name }) => DECISIVE_GATES.includes(name));
}

function attemptsUsedUp(task: string, { progress }: StoredVersion): string {
  return `${task} failed ${MAX_ATTEMPTS} times. Last error: ${progress.lastError ?? INTERRUPTED}`;
}

function describeOverfull({ shardCapacity }: StoredVersion, overfull: readonly number[]): string {
  const some = overfull.slice(0, 8).map(shardName).join(", ");
  return `${overfull.length} shards have more names than their capacity of ${shardCapacity} (${some}). Rebuild with a larger capacity.`;
}
