import { Gauge, Registry } from "prom-client";
import { FillSampler } from "../controllers/filter/fill-sampler";
import { RebuildWorker } from "../controllers/filter/rebuild-worker";
import { RolloutController } from "../controllers/filter/rollout-controller";
import { Throttle } from "../controllers/filter/throttle";
import { createEngines, type Engines } from "../filter/detect-engine";
import { SHARD_COUNT } from "../filter/layout";
import { type MakeShardsOptions, makeShards } from "../filter/make-shards";
import { masterIdentities } from "../filter/master-identities";
import { PointerPublisher } from "../filter/pointer";
import { type InspectedVersion, ShardRepairer } from "../filter/shard-repairer";
import { estimateUsers, noteBuildsStopped } from "../filter/versions";
import { replaySnapshot } from "../outbox/replay-snapshot";
import type { FilterEnv } from "../process/filter-env";
import { ProcessParts, type RunningProcess } from "../process/process-parts";
import type { Logger } from "../runtime/logger";
import type { RunningLoop, StepResult } from "../runtime/run-loop";
import { bySystem } from "../services/filter/advance-version";
import { markSwitched } from "../services/filter/mark-switched";
import { requestRebuild } from "../services/filter/request-rebuild";
import { AdvisoryLock } from "../store/advisory-lock";
import { ROLLOUT_CHANNEL, startListener } from "../store/listener";
import type { PrismaClient } from "../store/postgres";
import { readFilterHealth } from "./filter-health";

/** Readers read the pointer every 500 ms. */
const PUBLISH_INTERVAL_MS = 200;
/** With notifications of changes. */
const NOTIFIED_INTERVAL_MS = 1_000;
/** A slower answer of Postgres or Redis pauses a rebuild. */
const THROTTLE_MS = 100;

/**
 * One filter worker; several may run:
 *   publish   copies the rollout from the database to the pointer (every worker)
 *   watch     inspects every shard, runs armed promotions, bakes and the schedule (one worker)
 *   repair    rebuilds broken shards (the same worker)
 *   rebuild   builds, verifies and removes versions (one worker, perhaps another)
 */
export function runFilter(env: FilterEnv, log: Logger): RunningProcess {
  const parts = new ProcessParts({
    name: "filter",
    env,
    log,
    database: { maxConnections: 8, statementTimeoutMs: 60_000 },
    redisTimeoutMs: env.FILTER_REDIS_TIMEOUT_MS,
  });
  const { pool, redis } = parts;
  const registry = new Registry();
  parts.serveMetrics(registry, () => readFilterHealth({ pool, redis }));
  const worker = new FilterWorker(env, parts, registry);
  worker.startLoops();
  log.info("filter worker started");
  return parts.running();
}

type ShardWork = Pick<MakeShardsOptions, "version" | "shards" | "signal" | "confirm"> &
  Partial<MakeShardsOptions>;

/** Shared by the filter worker's loops: two locks, and the versions to repair. */
class FilterWorker {
  private readonly prisma: PrismaClient;
  private readonly engines: Engines;
  private readonly watchLock: AdvisoryLock;
  private readonly rebuildLock: AdvisoryLock;
  private readonly repairer: ShardRepairer;
  private readonly controller: RolloutController;
  private readonly sampler: FillSampler;
  private readonly pointer: PointerPublisher;
  private readonly rebuildWorker: RebuildWorker;
  private readonly shardsByState: Gauge<"version" | "state">;
  private toRepair: InspectedVersion[] = [];

  constructor(
    private readonly env: FilterEnv,
    private readonly parts: ProcessParts,
    registry: Registry,
  ) {
    const { pool, redis } = parts;
    this.prisma = parts.prisma();
    this.engines = createEngines(redis);
    this.watchLock = this.lock("floodgate filter watch");
    this.rebuildLock = this.lock("floodgate filter rebuild");
    this.shardsByState = new Gauge({
      name: "filter_shards",
      help: "Shards of a version by state; anything but 256 sealed means database fallback.",
      labelNames: ["version", "state"],
      registers: [registry],
    });
    this.repairer = this.createRepairer();
    this.controller = new RolloutController({
      pool,
      prisma: this.prisma,
      redis,
      engines: this.engines,
      log: parts.log,
      approvals: 1,
      bakeMinutes: env.FILTER_BAKE_MINUTES,
    });
    this.sampler = new FillSampler({ pool, redis });
    this.pointer = new PointerPublisher(redis, pool, (version, changed) => this.followed(version, changed));
    this.rebuildWorker = this.createRebuildWorker();
    // After the loops have ended, and before the lock is given back.
    parts.onStop(() => this.noteStop());
  }

  startLoops(): void {
    const { FILTER_TICK_MS } = this.env;
    const publishing = this.loop("publish", PUBLISH_INTERVAL_MS, async () => {
      await this.pointer.publish();
      return listener.isListening ? { waitMs: NOTIFIED_INTERVAL_MS } : "idle";
    });
    const listener = startListener({
      url: this.env.DATABASE_URL,
      channel: ROLLOUT_CHANNEL,
      name: "floodgate filter rollout",
      onNotification: () => publishing.wake(),
      onError: this.parts.warn("rollout listener connection lost; polling continues"),
      retryMs: 1_000,
    });
    this.parts.onStop(() => listener.stop());
    this.loop("watch", FILTER_TICK_MS, () => this.watch());
    this.loop("repair", FILTER_TICK_MS, signal => this.repairNext(signal));
    this.loop("rebuild", FILTER_TICK_MS, signal => this.rebuild(signal));
  }

  /** No step starts during a Redis outage. */
  private loop(
    name: string,
    everyMs: number,
    step: (signal: AbortSignal) => Promise<StepResult>,
  ): RunningLoop {
    return this.parts.loop({
      name,
      everyMs,
      maxBackoffMs: 5_000,
      step: async signal => (this.parts.isConnected ? step(signal) : "idle"),
      failure: `${name} failed`,
    });
  }

  private lock(name: string): AdvisoryLock {
    const lock = new AdvisoryLock(this.parts.pool, name);
    this.parts.onStop(() => lock.release());
    return lock;
  }

  private readonly memory = async () => (await masterIdentities(this.parts.redis)).join(" ");

  private makeShards(options: ShardWork) {
    const { pool } = this.parts;
    return makeShards({
      pool,
      engines: this.engines,
      memory: this.memory,
      databaseUrl: this.env.DATABASE_URL,
      replay: (start, deliver) => replaySnapshot(pool, { ...start, deliver, signal: options.signal }),
      ...options,
    });
  }

  private createRepairer(): ShardRepairer {
    const { pool, redis, log } = this.parts;
    const { env } = this;
    return new ShardRepairer({
      pool,
      redis,
      engines: this.engines,
      engine: env.FILTER_ENGINE,
      makeShards: (version, broken, signal) =>
        this.makeShards({ version, shards: broken, signal, confirm: this.watchLock.holding().confirm }),
      requestVersion: async (engine, { reason, shardCapacity }) => {
        const users = await estimateUsers(pool);
        const capacity = Math.max(env.FILTER_CAPACITY, 2 * users, SHARD_COUNT * shardCapacity);
        const request = { capacity, errorRate: env.FILTER_ERROR_RATE, engine, reason, autoPromote: true };
        await requestRebuild(this.prisma, bySystem("filter.rebuild"), request);
      },
      report: ({ version, ...counts }) => {
        for (const state of ["sealed", "full", "broken"] as const)
          this.shardsByState.set({ version: String(version), state }, counts[state]);
      },
      log,
    });
  }

  private createRebuildWorker(): RebuildWorker {
    const { pool, redis, log } = this.parts;
    return new RebuildWorker({
      pool,
      prisma: this.prisma,
      redis,
      engines: this.engines,
      memory: this.memory,
      log,
      throttle: new Throttle({
        limitMs: THROTTLE_MS,
        probes: { redis: () => redis.ping(), postgres: () => pool.query("SELECT 1") },
      }),
      makeShards: (version, options) =>
        this.makeShards({ version, confirm: this.rebuildLock.holding().confirm, ...options }),
    });
  }

  private async noteStop(): Promise<void> {
    if (this.rebuildLock.holding().lost.aborted) return;
    await noteBuildsStopped(this.parts.pool).catch(this.parts.warn("stop of the build not noted"));
  }

  private async followed(version: number, changed: boolean): Promise<void> {
    await markSwitched(this.prisma, version);
    if (changed) this.parts.log.info({ version }, "filter pointer published");
  }

  private async watch(): Promise<"idle"> {
    // A worker without the lock must not report old values.
    this.shardsByState.reset();
    if (!(await this.watchLock.acquire())) return "idle";
    const inspected = await this.repairer.inspect();
    const rolledBack = await this.controller.step(inspected);
    const isBaking = ({ version }: InspectedVersion) =>
      version.bakeUntil !== null && version.version !== rolledBack;
    const hasRollbackTarget = inspected.some(
      ({ version, broken }) => version.state === "previous" && broken.length === 0,
    );
    // A broken version that bakes is rolled back, not repaired, while there is a rollback target.
    this.toRepair = inspected.filter(one => one.broken.length > 0 && !(isBaking(one) && hasRollbackTarget));
    await this.sampler.sample(inspected);
    return "idle";
  }

  private async repairNext(signal: AbortSignal): Promise<"again" | "idle"> {
    const { lost } = this.watchLock.holding();
    // When the lock is lost, its next holder finds the broken shards.
    const [next, ...rest] = lost.aborted ? [] : this.toRepair;
    this.toRepair = rest;
    if (next) await this.repairer.repair(next, AbortSignal.any([signal, lost]));
    return this.toRepair.length > 0 ? "again" : "idle";
  }

  private async rebuild(signal: AbortSignal): Promise<"again" | "idle"> {
    if (!(await this.rebuildLock.acquire())) return "idle";
    return this.rebuildWorker.step(signal, this.rebuildLock.holding().lost);
  }
}
