import { Gauge, Registry } from "prom-client";
import { Upkeep } from "../controllers/filter/fill-sampler";
import { RebuildWorker } from "../controllers/filter/rebuild-worker";
import { RolloutController } from "../controllers/filter/rollout-controller";
import { Throttle } from "../controllers/filter/throttle";
import { createEngines } from "../filter/detect-engine";
import { SHARD_COUNT } from "../filter/layout";
import { type MakeShardsOptions, makeShards } from "../filter/make-shards";
import { masterIdentities } from "../filter/master-identities";
import { publishPointer } from "../filter/pointer";
import { type SeenVersion, ShardRepairer } from "../filter/shard-repairer";
import { estimateUsers } from "../filter/versions";
import { replaySnapshot } from "../outbox/replay-snapshot";
import type { Logger } from "../runtime/logger";
import { startMetricsServer } from "../runtime/metrics-server";
import { runLoop } from "../runtime/run-loop";
import { bySystem } from "../services/filter/advance-version";
import { markSwitched } from "../services/filter/mark-switched";
import { requestRebuild } from "../services/filter/request-rebuild";
import { AdvisoryLock } from "../store/advisory-lock";
import { createPool, createPrisma } from "../store/postgres";
import { createRedis } from "../store/redis";
import type { FilterEnv } from "./filter-env";
import { readFilterHealth } from "./filter-health";

/** The pointer is looked after five times a second: readers look four times, and follow within one. */
const PUBLISH_EVERY_MS = 200;
/** Slower than this, Postgres or Redis has more important things to do than a rebuild. */
const THROTTLE_MS = 100;

/**
 * One copy of the filter worker, of which N may run:
 *   publish   brings what the database says to the readers (every copy)
 *   watch     looks at every shard, carries out armed promotions, bakes, schedules (one copy)
 *   repair    makes broken shards anew (the same copy)
 *   rebuild   builds, verifies and removes versions (one copy, perhaps another)
 */
export function runFilter(env: FilterEnv, log: Logger): { stop(): Promise<void> } {
  const warn = (what: string) => (err: unknown) => log.warn({ err }, what);
  const pool = createPool(
    {
      url: env.DATABASE_URL,
      applicationName: "floodgate filter",
      maxConnections: 8,
      connectTimeoutMs: 5_000,
      statementTimeoutMs: 60_000,
    },
    warn("a database connection broke"),
  );
  const prisma = createPrisma(pool);
  const redis = createRedis(
    { url: env.REDIS_URL, connectionName: "floodgate-filter", commandTimeoutMs: env.FILTER_REDIS_TIMEOUT_MS },
    warn("redis"),
  );
  // During an outage nothing is begun; the client itself reports it and comes back.
  const isConnected = () => redis.status === "ready";
  const engines = createEngines(redis);
  const registry = new Registry();
  const shards = new Gauge({
    name: "filter_shards",
    help: "Shards of a version by state; anything but 256 sealed means database fallback.",
    labelNames: ["version", "state"],
    registers: [registry],
  });

  const watchLock = new AdvisoryLock(pool, "floodgate filter upkeep");
  const rebuildLock = new AdvisoryLock(pool, "floodgate filter rebuild");
  const memory = async () => (await masterIdentities(redis)).join(" ");
  const make = (
    options: Pick<MakeShardsOptions, "version" | "shards" | "signal" | "confirm"> &
      Partial<MakeShardsOptions>,
  ) =>
    makeShards({
      ...{ pool, engines, memory, databaseUrl: env.DATABASE_URL },
      replay: (start, deliver) => replaySnapshot(pool, { ...start, deliver, signal: options.signal }),
      ...options,
    });
  const repairer = new ShardRepairer({
    ...{ pool, redis, engines, engine: env.FILTER_ENGINE },
    makeShards: (version, broken, signal) =>
      make({ version, shards: broken, signal, confirm: watchLock.holding().confirm }),
    async requestVersion(engine, { reason, shardCapacity }) {
      const users = await estimateUsers(pool);
      const capacity = Math.max(env.FILTER_CAPACITY, 2 * users, SHARD_COUNT * shardCapacity);
      const request = { capacity, errorRate: env.FILTER_ERROR_RATE, engine, reason, autoPromote: true };
      await requestRebuild(prisma, bySystem("filter.rebuild"), request);
    },
    report({ version, ...counts }) {
      for (const state of ["sealed", "full", "broken"] as const)
        shards.set({ version: String(version), state }, counts[state]);
    },
    log: event => log.info(event, "filter"),
  });
  const controller = new RolloutController({
    ...{ pool, prisma, redis, engines, log },
    approvals: 1,
    bakeMinutes: env.FILTER_BAKE_MINUTES,
  });
  const upkeep = new Upkeep({ pool, redis });
  const rebuildWorker = new RebuildWorker({
    ...{ pool, prisma, redis, engines, memory, log },
    throttle: new Throttle({
      limitMs: THROTTLE_MS,
      probes: { redis: () => redis.ping(), postgres: () => pool.query("SELECT 1") },
    }),
    makeShards: (version, options) => make({ version, confirm: rebuildLock.holding().confirm, ...options }),
  });
  let toRepair: SeenVersion[] = [];

  const loop = (name: string, everyMs: number, step: (signal: AbortSignal) => Promise<"again" | "idle">) =>
    runLoop({
      name,
      everyMs,
      maxBackoffMs: 5_000,
      step: async signal => (isConnected() ? step(signal) : "idle"),
      onError: (err, retry) => log.warn({ err, ...retry }, `${name} failed`),
    });
  const loops = [
    loop("publish", PUBLISH_EVERY_MS, async () => {
      const followed = await publishPointer(redis, pool);
      if (followed) await markSwitched(prisma, followed.version);
      if (followed?.changed) log.info({ version: followed.version }, "the filter pointer was published");
      return "idle";
    }),
    loop("watch", env.FILTER_TICK_MS, async () => {
      // Whoever does not look must not go on saying what it once saw.
      shards.reset();
      if (!(await watchLock.acquire())) return "idle";
      const seen = await repairer.look();
      const left = await controller.look(seen);
      const isBaking = ({ version }: SeenVersion) => version.bakeUntil !== null && version.version !== left;
      const hasWayBack = seen.some(
        ({ version, broken }) => version.state === "previous" && broken.length === 0,
      );
      // A version that bakes is not mended but left, as long as there is one to go back to.
      toRepair = seen.filter(one => one.broken.length > 0 && !(isBaking(one) && hasWayBack));
      await upkeep.look(seen);
      return "idle";
    }),
    loop("repair", env.FILTER_TICK_MS, async signal => {
      const { lost } = watchLock.holding();
      // Whoever holds the lock now has seen for itself what is broken.
      const [next, ...rest] = lost.aborted ? [] : toRepair;
      toRepair = rest;
      if (next) await repairer.repair(next, AbortSignal.any([signal, lost]));
      return toRepair.length > 0 ? "again" : "idle";
    }),
    loop("rebuild", env.FILTER_TICK_MS, async signal => {
      if (!(await rebuildLock.acquire())) return "idle";
      return rebuildWorker.step(signal, rebuildLock.holding().lost);
    }),
  ];
  const health = () => readFilterHealth({ pool, redis });
  const metricsServer = env.METRICS_PORT
    ? startMetricsServer(env.METRICS_PORT, { registry, health, log })
    : null;
  log.info("keeping the filter");

  return {
    async stop() {
      await Promise.all(loops.map(one => one.stop()));
      watchLock.release();
      rebuildLock.release();
      metricsServer?.close();
      await prisma.$disconnect();
      await pool.end();
      redis.disconnect();
    },
  };
}
