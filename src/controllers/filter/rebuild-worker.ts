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
import { Follow } from "./rebuild-progress";
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

/** A build that failed so often, each time with Redis and Postgres up, will not work out. */
const MAX_ATTEMPTS = 10;
/** What viewers read of an error that is not ours to explain: it may name hosts, tables, addresses. */
const UNEXPLAINED = "Redis or Postgres did not do as they were asked; the filter worker's log says what.";
const UNENDED = "the worker was ended.";
/** An error whose text is written for viewers. */
class ExplainedError extends Error {}
/** Reads that are compared once a version is ready: enough to see, too few to feel. */
const SHADOW_PERCENT = 10;

/**
 * The long work on versions, one piece at a time:
 *
 *   requested ─> building ─> catching-up ─> verifying ─> ready;   retiring ─> retired;   discarding ─> gone
 *
 * Killed at any moment, the next worker begins the piece in hand anew. A version that is cancelled
 * stops its piece within about a second.
 */
export class RebuildWorker {
  constructor(private readonly options: RebuildWorkerOptions) {}

  /**
   * One piece of work; `idle` when there is none. Rejects when it has to be tried again later.
   * @param lost aborts when another worker may be doing it by now
   */
  async step(stopping: AbortSignal, lost: AbortSignal): Promise<"again" | "idle"> {
    const { pool, log } = this.options;
    const [version] = await versionsIn(pool, WORK_STATES);
    const asked = version ? undefined : await this.askedFor();
    const subject = version ?? asked;
    if (!subject) return "idle";
    const follow = new Follow(pool, subject, [stopping, lost]);
    try {
      if (version) await this.work(version, follow);
      else await this.verifyAgain(subject, follow);
    } catch (error) {
      // Cancelled, or moved by somebody else: what is to be done now is in the database.
      if (follow.signal.aborted || error instanceof AppError) return "again";
      await this.recordFailure(subject, error);
      throw error;
    } finally {
      await follow.end().catch(err => log.debug({ err }, "progress could not be stored"));
    }
    return "again";
  }

  private async work(version: StoredVersion, follow: Follow): Promise<void> {
    switch (version.state) {
      case "requested":
        return this.begin(version);
      case "building":
        return this.build(version, follow);
      case "catching-up":
        return this.move(version, "catching-up", "building", "a worker ended in the middle: begin anew");
      case "verifying":
        return this.verify(version, follow);
      case "retiring":
        await this.removeKeys(version, follow);
        return this.move(version, "retiring", "retired", "its keys are removed");
      case "discarding": {
        await this.removeKeys(version, follow);
        const failed = (
          await this.options.prisma.filterVersion.findUnique({ where: { version: version.version } })
        )?.failure;
        return this.move(
          version,
          "discarding",
          failed ? "failed" : "cancelled",
          failed ?? "its keys are removed",
        );
      }
    }
  }

  private async begin(version: StoredVersion): Promise<void> {
    const { engine, errorRate, shardCapacity } = version;
    // Looked at again: what fitted when an operator asked may not fit any more.
    const capacity = version.capacity ?? shardCapacity * SHARD_COUNT;
    const { problem } = await planRebuild(this.options, { capacity, errorRate, engine });
    if (problem) return this.giveUp(version, problem);
    await this.move(version, "requested", "building", "a worker has taken it");
  }

  private async build(version: StoredVersion, follow: Follow): Promise<void> {
    const { pool, throttle } = this.options;
    const attempts = Number(version.progress.attempts ?? 0) + 1;
    if (attempts > MAX_ATTEMPTS) {
      return this.giveUp(
        version,
        `It failed ${MAX_ATTEMPTS} times, at last: ${version.progress.lastError ?? UNENDED}`,
      );
    }
    await setProgress(pool, version.version, { attempts });
    follow.say({ phase: "clearing" });
    // What another attempt or another database left under these keys must not pass for ours.
    await this.removeKeys(version, follow);
    const result = await this.options.makeShards(version, {
      shards: ALL_SHARDS,
      signal: follow.signal,
      throttle: () => throttle.wait(),
      onProgress: progress => follow.say({ ...progress, throttle: throttle.reason }),
      onSnapshot: xmin => setSnapshot(pool, version.version, xmin),
      onLoaded: async rows => {
        await this.move(version, "building", "catching-up", "its shards hold the snapshot");
        follow.say({ phase: "catching-up", rows });
      },
    });
    if (result.overfull.length > 0) {
      const some = result.overfull.slice(0, 8).map(shardName).join(", ");
      const why = `${result.overfull.length} shards have more names than the ${version.shardCapacity} they are made for (${some})`;
      return this.giveUp(version, `${why}: rebuild with a larger capacity.`);
    }
    await setProgress(pool, version.version, { ...result, builtAt: new Date().toISOString() });
    await this.move(version, "catching-up", "verifying", `${result.replayed} events were replayed`);
  }

  private async verify(version: StoredVersion, follow: Follow): Promise<void> {
    const isSameMemory = async () => (await this.options.memory()) === version.progress.memory;
    const lost = () =>
      this.move(version, "verifying", "building", "Redis restarted or failed over: begin anew");
    if (!(await isSameMemory())) return lost();
    const attempts = Number(version.progress.verifications ?? 0) + 1;
    if (attempts > MAX_ATTEMPTS) {
      const why = `It could not be verified in ${MAX_ATTEMPTS} tries, at last: ${version.progress.lastError ?? UNENDED}`;
      return this.giveUp(version, why);
    }
    // Before it is tried: what throws, or ends the worker, is a try as well.
    await setProgress(this.options.pool, version.version, { verifications: attempts });
    const report = await this.compare(version, "sample", follow);
    if (!(await isSameMemory())) return lost();
    const gates = decisive(version, report);
    const unknown = gates.find(gate => gate.verdict === "no data");
    if (unknown && attempts < MAX_ATTEMPTS) {
      throw new ExplainedError(`Verifying gave no data: ${unknown.title}: ${unknown.value}.`);
    }
    const failed = gates.find(gate => gate.verdict !== "pass");
    if (failed) {
      await storeReport(this.options.prisma, version.version, report);
      return this.giveUp(version, `${failed.title}: ${failed.value}.`);
    }
    await advanceVersion(this.options.prisma, {
      version: version.version,
      from: "verifying",
      to: "ready",
      data: { report, shadowPercent: SHADOW_PERCENT, shadowSince: new Date() },
      reason: "verified against the database",
    });
  }

  private async verifyAgain(version: StoredVersion, follow: Follow): Promise<void> {
    const { pool, prisma } = this.options;
    const tries = Number(version.progress.tries ?? 0) + 1;
    await setProgress(pool, version.version, { tries: tries > MAX_ATTEMPTS ? 0 : tries });
    if (tries > MAX_ATTEMPTS) {
      const why = `It could not be verified in ${MAX_ATTEMPTS} tries, at last: ${version.progress.lastError ?? UNENDED}`;
      return endVerification(prisma, version.version, why);
    }
    const report = await this.compare(version, version.verifyRequest ?? "sample", follow);
    await setProgress(pool, version.version, { tries: 0 });
    const passed = decisive(version, report).every(gate => gate.verdict === "pass");
    await storeReport(prisma, version.version, report, { passed });
  }

  private compare(version: StoredVersion, scope: VerificationReport["scope"], follow: Follow) {
    const { pool, engines } = this.options;
    return verifyVersion({
      ...{ pool, version, scope },
      engine: engines[version.engine],
      signal: follow.signal,
      onProgress: ({ checked }) => follow.say({ phase: "verifying", checked }),
    });
  }

  private async askedFor(): Promise<StoredVersion | undefined> {
    const versions = await versionsIn(this.options.pool, ["ready", "active", "previous"]);
    return versions.find(version => version.verifyRequest !== null);
  }

  /** One key at a time: nobody reads them any more, and nobody must feel that they go. */
  private async removeKeys(version: StoredVersion, follow: Follow): Promise<void> {
    for (const shard of ALL_SHARDS) {
      follow.signal.throwIfAborted();
      await this.options.engines[version.engine].drop(version, shard);
    }
  }

  private move(version: StoredVersion, from: VersionState, to: VersionState, reason: string): Promise<void> {
    return advanceVersion(this.options.prisma, { version: version.version, from, to, reason });
  }

  /** From whatever state it is in by now. */
  private async giveUp({ version }: StoredVersion, failure: string): Promise<void> {
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

  private async recordFailure(version: StoredVersion, error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    if (version.state === "building" && message.includes("OOM ")) {
      return this.giveUp(version, "Redis ran out of memory: give it more, or ask for a smaller version.");
    }
    const lastError = error instanceof ExplainedError ? message : UNEXPLAINED;
    await setProgress(this.options.pool, version.version, { lastError }).catch(() => {});
  }
}

/** The gates that a report alone decides. */
function decisive({ errorRate }: StoredVersion, report: VerificationReport) {
  const gates = evaluateGates({ errorRate, report, shadow: null, outboxLagSeconds: null, nowMs: Date.now() });
  return gates.filter(({ name }) => DECISIVE_GATES.includes(name));
}
