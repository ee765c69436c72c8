import { mayUseAccount } from "../domain/access/account-binding";
import { BookStatusStore } from "../engine/book-status-store";
import { EngineRunner } from "../engine/engine-runner";
import { EngineLeaseLost, EngineStore } from "../engine/engine-store";
import { PlanBook } from "../orders/plan-book";
import { LeasedRunner } from "../process/leased-runner";
import type { EngineEnv } from "../process/order-env";
import { ProcessParts, type RunningProcess } from "../process/process-parts";
import { type Health, healthOf } from "../runtime/health";
import type { Logger } from "../runtime/logger";
import { readLeaseOwners } from "../store/lease-owners";
import { type Leases, PartitionLeases } from "../store/partition-leases";
import { createEngineMetrics, type EngineMetrics } from "../telemetry/order-metrics";

const SYMBOLS_EVERY_MS = 1_000;
const BOOKS_EVERY_MS = 1_000;

/** One copy of the reference engine, of which N share the symbols. May be killed at any moment. */
export function runEngine(env: EngineEnv, log: Logger): RunningProcess {
  const parts = new ProcessParts({
    name: "engine",
    env,
    log,
    database: { maxConnections: 6, statementTimeoutMs: 30_000 },
    redisTimeoutMs: 2_000,
  });
  const { metrics, registry } = parts.telemetry(createEngineMetrics);
  const plans = new PlanBook(parts.pool);
  const store = new EngineStore(parts.pool);
  const runner = new LeasedRunner<EngineRunner>({
    parts,
    partitions: new PartitionLeases(parts.redis, {
      log: env.ORDER_LOG_NAME,
      kind: "engine",
      owner: parts.owner,
      ttlMs: env.ORDER_LEASE_MS,
    }),
    owners: () => readLeaseOwners(parts.redis, { log: env.ORDER_LOG_NAME, kind: "engine" }),
    ttlMs: env.ORDER_LEASE_MS,
    start: leases => createRunner(parts, { env, leases, store, plans, metrics }),
    isLeaseLost: error => error instanceof EngineLeaseLost,
  });
  parts.serveMetrics(registry, async () => readEngineHealth(parts, runner));
  parts.loop({
    name: "match",
    everyMs: env.ORDER_POLL_MS,
    maxBackoffMs: 1_000,
    step: () => runner.step(async engine => ((await engine.step()) ? "again" : "idle")),
    failure: "matching failed; it continues from the last snapshot",
  });
  parts.loop({
    name: "symbols",
    everyMs: SYMBOLS_EVERY_MS,
    step: async () => {
      await plans.refresh();
      return "idle";
    },
    failure: "symbols not refreshed; the last ones stay",
  });
  const books = new BookStatusStore(parts.redis, env.ORDER_LOG_NAME);
  parts.loop({
    name: "books",
    everyMs: BOOKS_EVERY_MS,
    step: async () => {
      const { engines = [], problems = new Map() } = runner.current ?? {};
      await books.write({ engines, problems });
      return "idle";
    },
    failure: "book status not written",
  });
  log.info({ owner: parts.owner }, "engine started");
  return parts.running();
}

type RunnerDeps = {
  env: EngineEnv;
  leases: Leases;
  store: EngineStore;
  plans: PlanBook;
  metrics: EngineMetrics;
};

function createRunner({ redis, log }: ProcessParts, deps: RunnerDeps): EngineRunner {
  const { env, leases, store, plans, metrics } = deps;
  return new EngineRunner({
    redis,
    log: env.ORDER_LOG_NAME,
    store,
    leases,
    snapshotEveryMs: env.ENGINE_SNAPSHOT_MS,
    symbols: () => plans.tradedSymbols.keys(),
    hasCredit: accountId => mayUseAccount(env.ENGINE_CREDIT_ACCOUNTS, accountId),
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
        if (violations > 0) log.error({ violations }, "order violations");
      },
      gap(symbol, missing) {
        metrics.gaps.inc(missing);
        log.error({ symbol, missing }, "gap in the ordered stream");
      },
      paused(symbol, err) {
        log.error({ symbol, err }, "symbol paused; the others continue");
      },
    },
  });
}

function readEngineHealth(parts: ProcessParts, runner: LeasedRunner<EngineRunner>): Health {
  const problems = parts.isConnected
    ? [...(runner.current?.problems.values() ?? [])]
    : ["Redis does not answer: no order is matched."];
  if (parts.isConnected && runner.problem !== null) problems.push(runner.problem);
  return { ...healthOf(problems, parts.isConnected), partitions: runner.partitions };
}
