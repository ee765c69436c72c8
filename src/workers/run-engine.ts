import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { BookStatusStore } from "../engine/book-status-store";
import { EngineRunner } from "../engine/engine-runner";
import { EngineLeaseLost, EngineStore } from "../engine/engine-store";
import { PlanBook } from "../orders/plan-book";
import type { Logger } from "../runtime/logger";
import { startMetricsServer } from "../runtime/metrics-server";
import { runLoop } from "../runtime/run-loop";
import { type Leases, PartitionLeases } from "../store/partition-leases";
import { createPool } from "../store/postgres";
import { createRedis } from "../store/redis";
import { createEngineMetrics } from "../telemetry/order-metrics";
import { createTelemetry } from "../telemetry/telemetry";
import { keepLeases } from "./keep-leases";
import type { EngineEnv } from "./order-env";

const SYMBOLS_EVERY_MS = 1_000;
const BOOKS_EVERY_MS = 1_000;

/** One copy of the reference engine, of which N share the symbols. May be killed at any moment. */
export function runEngine(env: EngineEnv, log: Logger): { stop(): Promise<void> } {
  const owner = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
  const name = env.ORDER_LOG_NAME;
  const warn = (what: string) => (err: unknown) => log.warn({ err }, what);
  const redis = createRedis(
    { url: env.REDIS_URL, connectionName: "floodgate-engine", commandTimeoutMs: 2_000 },
    warn("redis"),
  );
  const pool = createPool(
    {
      ...{ url: env.DATABASE_URL, applicationName: "floodgate engine", maxConnections: 6 },
      ...{ connectTimeoutMs: 5_000, statementTimeoutMs: 30_000 },
    },
    warn("a database connection broke"),
  );
  const telemetry = createTelemetry(createEngineMetrics, {
    redis,
    kind: "engine",
    onOutage: warn("telemetry waits in memory for Redis"),
    onFull: warn("more names come up than are counted apart"),
  });
  const { metrics, registry } = telemetry;
  const plans = new PlanBook(pool);
  const partitions = new PartitionLeases(redis, {
    log: name,
    kind: "engine",
    owner,
    ttlMs: env.ORDER_LEASE_MS,
  });
  const store = new EngineStore(pool);
  let leases: Leases = new Map();
  let runner: EngineRunner | null = null;
  const start = () =>
    new EngineRunner({
      ...{ redis, log: name, store, leases, snapshotEveryMs: env.ENGINE_SNAPSHOT_MS },
      symbols: () => plans.tradedSymbols.keys(),
      on: {
        applied(symbol, count, oldestUs) {
          metrics.orders(symbol).inc(count);
          metrics.latency.observeMs(Math.max(0, Date.now() - oldestUs / 1_000));
        },
        stored: sinceMs => metrics.sinceOrdered.observeMs(sinceMs),
        results({ trades, rejects }, violations) {
          metrics.trades.inc(trades.length);
          metrics.rejects.inc(rejects.length);
          metrics.violations.inc(violations);
          if (violations > 0) log.error({ violations }, "orders came out of order");
        },
        gap(symbol, missing) {
          metrics.gaps.inc(missing);
          log.error({ symbol, missing }, "orders are missing");
        },
        paused(symbol, err) {
          log.error({ symbol, err }, "a symbol stands still; the others go on");
        },
      },
    });

  const leasing = keepLeases({
    ...{ partitions, log, ttlMs: env.ORDER_LEASE_MS },
    held: () => leases,
    onChange(now) {
      leases = now;
      runner = null;
    },
  });
  const matching = runLoop({
    name: "match",
    everyMs: env.ORDER_POLL_MS,
    maxBackoffMs: 1_000,
    step: async () => {
      if (leases.size === 0) return "idle";
      const mine = runner ?? start();
      runner = mine;
      try {
        return (await mine.step()) ? "again" : "idle";
      } catch (error) {
        if (runner === mine) runner = null;
        if (error instanceof EngineLeaseLost) leases = new Map();
        throw error;
      }
    },
    onError: (err, retry) => log.warn({ err, ...retry }, "matching starts again at the last snapshot"),
  });
  const planning = runLoop({
    name: "symbols",
    everyMs: SYMBOLS_EVERY_MS,
    step: async () => {
      await plans.refresh();
      return "idle";
    },
    onError: warn("symbols could not be read; the last ones stay"),
  });
  const books = new BookStatusStore(redis, name);
  const showing = runLoop({
    name: "books",
    everyMs: BOOKS_EVERY_MS,
    step: async () => {
      await books.write({ engines: runner?.engines ?? [], problems: runner?.problems ?? new Map() });
      return "idle";
    },
    onError: warn("the tops of the books could not be shown"),
  });
  const health = async () => {
    const isUp = redis.status === "ready";
    const standing = [...(runner?.problems.values() ?? [])];
    const problems = isUp ? standing : ["Redis does not answer: no order is matched."];
    const status: "ok" | "degraded" | "down" = !isUp ? "down" : standing.length > 0 ? "degraded" : "ok";
    return { status, problems, partitions: [...leases.keys()] };
  };
  const metricsServer = env.METRICS_PORT
    ? startMetricsServer(env.METRICS_PORT, { registry, health, log })
    : null;
  telemetry.start();
  log.info({ owner }, "matching");

  return {
    async stop() {
      await Promise.all([leasing, matching, planning, showing].map(loop => loop.stop()));
      await partitions.release().catch(warn("leases could not be given back; they run out"));
      metricsServer?.close();
      await telemetry.stop();
      await pool.end();
      redis.disconnect();
    },
  };
}
