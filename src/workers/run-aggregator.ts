import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { Aggregator } from "../aggregate/aggregator";
import { AggregatorStatusStore } from "../aggregate/aggregator-status-store";
import { RedisDeadLetterStream } from "../aggregate/dead-letter-stream";
import { LeaseLost, RedisOrderedOutput } from "../aggregate/ordered-output";
import { trimPassed } from "../aggregate/trim-passed";
import { WatermarkEmitter } from "../aggregate/watermark-emitter";
import { watchSymbols } from "../controllers/symbols/watch-symbols";
import { openOrderLog } from "../orders/open-order-log";
import { OrderLogSetupError } from "../orders/order-log-setup-error";
import { PlanBook } from "../orders/plan-book";
import { shardLimitsOf } from "../orders/shard-limits";
import type { Logger } from "../runtime/logger";
import { startMetricsServer } from "../runtime/metrics-server";
import { runLoop } from "../runtime/run-loop";
import { type Leases, PartitionLeases } from "../store/partition-leases";
import { createPool } from "../store/postgres";
import { RedisProducerRegistry } from "../store/producer-registry";
import { createRedis, masters, type RedisClient } from "../store/redis";
import { createAggregatorMetrics } from "../telemetry/order-metrics";
import { createTelemetry } from "../telemetry/telemetry";
import { keepLeases } from "./keep-leases";
import type { AggregatorEnv } from "./order-env";

const PLANS_EVERY_MS = 1_000;
const CHECKPOINT_EVERY_MS = 500;
const TRIM_EVERY_MS = 5_000;
const IDLE_LOOK_MS = 20;
const IDLE_LOOKS = 12;
const IDLE_POLL_MS = 20;
/** Without ORDER_WATERMARK_INTERVAL_MS: where watermarks cost nothing, and where each counts against its shard's limits. */
const [REDIS_WATERMARK_MS, COUNTED_WATERMARK_MS] = [10, 50];
/** Redis is close to its bound: health says so before writes fail. */
const MEMORY_ALARM = 0.85;

/**
 * One copy of the aggregator, of which N share the symbols: puts orders in order, and keeps the log's
 * heartbeat. Everything it knows is in Redis; it may be killed at any moment.
 */
export function runAggregator(
  env: AggregatorEnv,
  log: Logger,
  /** The log can't be used before somebody has changed something. */
  onUnusable: (error: OrderLogSetupError) => void = err => log.error({ err }, "the order log can't be used"),
): { stop(): Promise<void> } {
  const owner = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
  const name = env.ORDER_LOG_NAME;
  const warn = (what: string) => (err: unknown) => log.warn({ err }, what);
  const redis = createRedis(
    { url: env.REDIS_URL, connectionName: "floodgate-aggregator", commandTimeoutMs: 2_000 },
    warn("redis"),
  );
  const pool = createPool(
    {
      ...{ url: env.DATABASE_URL, applicationName: "floodgate aggregator", maxConnections: 4 },
      ...{ connectTimeoutMs: 5_000, statementTimeoutMs: 5_000 },
    },
    warn("a database connection broke"),
  );
  const telemetry = createTelemetry(createAggregatorMetrics, {
    redis,
    kind: "aggregator",
    onOutage: warn("telemetry waits in memory for Redis"),
    onFull: warn("more names come up than are counted apart"),
  });
  const { metrics, registry: prometheus } = telemetry;
  const opened = openOrderLog(env, {
    redis,
    onProblem: (what, err) => log.warn({ err }, what),
    reading: { reader: env.KINESIS_READER, consumer: env.KINESIS_CONSUMER ?? `floodgate-${name}` },
  });
  const orderLog = opened.log;
  const watermarkMs =
    env.ORDER_WATERMARK_INTERVAL_MS ?? (opened.isInRedis ? REDIS_WATERMARK_MS : COUNTED_WATERMARK_MS);
  const registry = new RedisProducerRegistry(redis, name);
  const output = new RedisOrderedOutput(redis, name);
  const board = new AggregatorStatusStore(redis, name);
  const plans = new PlanBook(pool);
  const partitions = new PartitionLeases(redis, {
    log: name,
    kind: "aggregator",
    owner,
    ttlMs: env.ORDER_LEASE_MS,
  });
  const emitter = new WatermarkEmitter({
    log: orderLog,
    registry,
    silenceUs: env.ORDER_WINDOW_MS * 1_000,
    minIntervalUs: (watermarkMs - 1) * 1_000,
    onFenced: (producer, silentMs) => {
      metrics.fenced.inc();
      log.warn({ producer, silentMs: Math.round(silentMs) }, "a silent producer was fenced");
    },
  });

  let isPrepared = false;
  let leases: Leases = new Map();
  let aggregator: Aggregator | null = null;
  const start = () =>
    Aggregator.start({
      ...{ log: orderLog, output, leases },
      side: new RedisDeadLetterStream(redis, name),
      nowUs: () => Date.now() * 1_000,
      // Until the table was read nothing is unknown.
      knowsSymbol: symbol => plans.tradedSymbols.size === 0 || plans.tradedSymbols.has(symbol),
      onReshard: () => emitter.forgetMap(),
      settings: { readLimit: 500, maxWaiting: env.ORDER_MAX_WAITING, maxBehind: env.ORDER_MAX_BEHIND },
      on: {
        released: (symbol, count) => metrics.released(symbol).inc(count),
        duplicates: count => metrics.duplicates.inc(count),
        deadLetters: (reason, count) => metrics.deadLetters[reason].inc(count),
        unregistered: noteUnregistered,
        timed({ ingestMs, shardMs, bufferMs }) {
          if (ingestMs !== undefined) metrics.ingest.observeMs(ingestMs);
          if (shardMs !== undefined) metrics.shardWait.observeMs(shardMs);
          metrics.bufferWait.observeMs(bufferMs);
        },
      },
    });
  let unregisteredAtMs = 0;
  const noteUnregistered = () => {
    if (Date.now() - unregisteredAtMs < 60_000) return;
    unregisteredAtMs = Date.now();
    registry.noteUnregistered().catch(warn("an unregistered producer could not be noted"));
  };
  const lagOf = (slowestProducer: Aggregator["slowestProducer"] | null) => {
    if (slowestProducer) return Math.max(0, Date.now() - slowestProducer.throughUs / 1_000);
    return aggregator && isIdle() ? 0 : null;
  };
  const isIdle = () => (emitter.view?.producers.length ?? 0) === 0 && (aggregator?.waiting ?? 0) === 0;

  const leasing = keepLeases({
    ...{ partitions, log, ttlMs: env.ORDER_LEASE_MS },
    held: () => leases,
    onChange(now) {
      leases = now;
      aggregator = null;
    },
  });
  const emitting = runLoop({
    name: "watermark",
    everyMs: watermarkMs,
    maxBackoffMs: 500,
    step: async signal => {
      await emitter.emitOnce();
      // Nobody waits for watermarks; but whoever joins should not wait for the next one.
      for (let looks = 0; looks < IDLE_LOOKS && isIdle() && !signal.aborted; looks += 1) {
        await pause(IDLE_LOOK_MS, signal);
        if (await emitter.look()) break;
      }
      return "idle";
    },
    onError: warn("no watermark"),
  });
  const aggregating = runLoop({
    name: "aggregate",
    everyMs: env.ORDER_POLL_MS,
    maxBackoffMs: 1_000,
    step: async signal => {
      if (leases.size === 0) return "idle";
      const held = leases;
      const mine = aggregator ?? (await start());
      // While it started the partitions may have changed hands.
      if (leases !== held) return "again";
      aggregator = mine;
      try {
        const isBusy = await mine.step();
        if (!isBusy && isIdle()) await pause(IDLE_POLL_MS, signal);
        return isBusy && mine.waiting > 10_000 ? "again" : "idle";
      } catch (error) {
        if (aggregator === mine) aggregator = null;
        if (error instanceof LeaseLost) leases = new Map();
        throw error;
      }
    },
    onError: (err, retry) => log.warn({ err, ...retry }, "aggregating starts again at the last checkpoint"),
  });
  const checkpointing = runLoop({
    name: "checkpoint",
    everyMs: CHECKPOINT_EVERY_MS,
    maxBackoffMs: 2_000,
    step: async () => {
      await aggregator?.writeCheckpoint();
      await aggregator?.refreshPaused();
      const untilMs = Date.now() + 2 * CHECKPOINT_EVERY_MS;
      const held = aggregator?.pausedSymbols() ?? [];
      await registry.setPaused(Object.fromEntries(held.map(symbol => [symbol, untilMs])));
      return "idle";
    },
    onError: warn("no checkpoint"),
  });
  const housekeeping = runLoop({
    name: "housekeeping",
    everyMs: 1_000,
    maxBackoffMs: 5_000,
    step: async () => {
      // Where nobody writes nobody is waited for: the next watermark may take its time.
      const slowestProducer = isIdle() ? null : (aggregator?.slowestProducer ?? null);
      const lagMs = lagOf(slowestProducer);
      if (lagMs !== null) metrics.lagMs.set(lagMs);
      metrics.buffered.set(aggregator?.waiting ?? 0);
      metrics.memoryBytes.set(process.memoryUsage.rss());
      const utilization = await readMemoryUtilization(redis);
      if (utilization !== null) metrics.logMemoryUtilization.set(utilization);
      await board.write(owner, {
        ...{ atMs: Date.now(), partitions: [...leases.keys()], waiting: aggregator?.waiting ?? 0 },
        ...{ slowestProducer: slowestProducer?.name ?? null, lagMs, memoryBytes: process.memoryUsage.rss() },
      });
      return "idle";
    },
    onError: warn("housekeeping failed"),
  });
  const trimming = runLoop({
    name: "trim",
    everyMs: TRIM_EVERY_MS,
    step: async () => {
      await trimPassed(orderLog, output);
      await emitter.forgetProducers();
      await board.removeDead();
      return "idle";
    },
    onError: warn("what all have passed could not be trimmed"),
  });
  const planning = runLoop({
    name: "plans",
    everyMs: PLANS_EVERY_MS,
    step: async () => {
      await plans.refresh();
      await opened.prepare(env.ORDER_SHARDS);
      isPrepared = true;
      return "idle";
    },
    onError: err => {
      if (!isPrepared && err instanceof OrderLogSetupError) return onUnusable(err);
      log.warn({ err }, "symbols or the log's shards could not be read; the last ones stay");
    },
  });

  const watching = watchSymbols({
    ...{ pool, redis, orderLog, logName: name, log },
    limits: shardLimitsOf(env.ORDER_LIMITS),
  });

  const health = async () => {
    const problems: string[] = [];
    if (redis.status !== "ready") problems.push("Redis does not answer: no order goes on.");
    const utilization = metrics.logMemoryUtilization.read();
    if (utilization !== null && utilization > MEMORY_ALARM)
      problems.push(`Redis uses ${Math.round(utilization * 100)} % of its memory: unread orders need room.`);
    const lagMs = metrics.lagMs.read();
    if (lagMs !== null && lagMs > 5_000)
      problems.push(`Orders wait for ${aggregator?.slowestProducer?.name ?? "nobody"}.`);
    const status: "ok" | "degraded" | "down" =
      redis.status !== "ready" ? "down" : problems.length > 0 ? "degraded" : "ok";
    return { status, problems, partitions: [...leases.keys()], waiting: aggregator?.waiting ?? 0 };
  };
  const metricsServer = env.METRICS_PORT
    ? startMetricsServer(env.METRICS_PORT, { registry: prometheus, health, log })
    : null;
  telemetry.start();
  log.info({ owner }, "aggregating");

  return {
    async stop() {
      const loops = [leasing, emitting, aggregating, checkpointing, housekeeping, trimming, planning];
      await Promise.all([...loops, watching].map(loop => loop.stop()));
      await aggregator?.writeCheckpoint().catch(warn("no last checkpoint"));
      await partitions.release().catch(warn("leases could not be given back; they run out"));
      await board.remove(owner).catch(() => {});
      metricsServer?.close();
      await telemetry.stop();
      await pool.end();
      opened.close();
      redis.disconnect();
    },
  };
}

/** The fullest node's share of its memory limit, 0 to 1. Null when Redis has no limit. */
async function readMemoryUtilization(redis: RedisClient): Promise<number | null> {
  const infos = await Promise.all(masters(redis).map(node => node.info("memory")));
  const ratios = infos.map(
    info => Number(/^used_memory:(\d+)/m.exec(info)?.[1]) / Number(/^maxmemory:(\d+)/m.exec(info)?.[1]),
  );
  const utilization = Math.max(...ratios);
  return Number.isFinite(utilization) ? utilization : null;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}
