import { mayUseAccount } from "../domain/access/account-binding";
import { BookStatusStore } from "../engine/book-status-store";
import { EngineConsumer } from "../engine/engine-consumer";
import { EngineStore } from "../engine/engine-store";
import { readEngineEpochs } from "../engine/stored-numbers";
import type { StreamRunner, StreamRunnerDeps } from "../engine/stream-runner";
import type { Results } from "../engine/symbol-engine";
import type { LeasedRunner } from "../process/leased-runner";
import type { EngineEnv } from "../process/order-env";
import { ProcessParts, type RunningProcess } from "../process/process-parts";
import { type Health, healthOf } from "../runtime/health";
import type { Logger } from "../runtime/logger";
import { createEngineMetrics, type EngineMetrics } from "../telemetry/order-metrics";
import { followStreams } from "./follow-streams";

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
  const deps = {
    store: new EngineStore(parts.pool),
    snapshotEveryMs: env.ENGINE_SNAPSHOT_MS,
    hasCredit: (accountId: string) => mayUseAccount(env.ENGINE_CREDIT_ACCOUNTS, accountId),
    onResults({ trades, rejects }: Results, violations: number) {
      metrics.trades.inc(trades.length);
      metrics.rejects.inc(rejects.length);
      metrics.violations.inc(violations);
      if (violations > 0) log.error({ violations }, "order violations");
    },
  };
  const runner = followStreams(parts, {
    env,
    storedEpochs: () => readEngineEpochs(parts.pool),
    open: (symbol, epoch) => EngineConsumer.open(symbol, epoch, deps),
    on: measure(metrics, log),
  });
  parts.serveMetrics(registry, async () => readEngineHealth(parts, runner));
  const books = new BookStatusStore(parts.redis, env.ORDER_LOG_NAME);
  parts.loop({
    name: "books",
    everyMs: BOOKS_EVERY_MS,
    step: async () => {
      const { consumers = [], problems = new Map() } = runner.current ?? {};
      await books.write({ engines: consumers.map(({ engine }) => engine), problems });
      return "idle";
    },
    failure: "book status not written",
  });
  log.info({ owner: parts.owner }, "engine started");
  return parts.running();
}

function measure(metrics: EngineMetrics, log: Logger): StreamRunnerDeps<EngineConsumer>["on"] {
  return {
    applied(symbol, count, oldestUs) {
      metrics.orders(symbol).inc(count);
      metrics.latency.observeMs(Math.max(0, Date.now() - oldestUs / 1_000));
    },
    stored: sinceMs => metrics.sinceOrdered.observeMs(sinceMs),
    gap(symbol, missing) {
      metrics.gaps.inc(missing);
      log.error({ symbol, missing }, "gap in the ordered stream");
    },
    paused(symbol, err) {
      log.error({ symbol, err }, "symbol paused; the others continue");
    },
  };
}

function readEngineHealth(parts: ProcessParts, runner: LeasedRunner<StreamRunner<EngineConsumer>>): Health {
  const problems = parts.isConnected
    ? [...(runner.current?.problems.values() ?? [])]
    : ["Redis does not answer: no order is matched."];
  if (parts.isConnected && runner.problem !== null) problems.push(runner.problem);
  return { ...healthOf(problems, parts.isConnected), partitions: runner.partitions };
}
