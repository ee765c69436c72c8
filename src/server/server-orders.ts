import { recordBytes } from "../domain/orders/order-log";
import { createProducer } from "../orders/create-producer";
import { type OpenedLog, openOrderLog } from "../orders/open-order-log";
import { OrderLogSetupError } from "../orders/order-log-setup-error";
import type { PendingRecord } from "../orders/pending-record";
import { PlanBook } from "../orders/plan-book";
import type { ShardLimits } from "../orders/redis-log";
import { shardLimitsOf } from "../orders/shard-limits";
import type { ProcessParts } from "../process/process-parts";
import type { ServerEnv } from "../process/server-env";
import { createOrderServices, type OrderServices } from "../services/orders/order-services";
import { createShardServices, type ShardServices } from "../services/shards/shard-services";
import { LiveFigures } from "../services/symbols/live-figures";
import type { PrismaClient } from "../store/postgres";
import { RedisProducerRegistry } from "../store/producer-registry";
import { type ProducerMetrics, pairOf } from "../telemetry/order-metrics";
import { createOrderQuota } from "./rate-limits";

/** Producers follow a change of plan within a second. */
const PLANS_EVERY_MS = 500;
const CHECK_EVERY_MS = 10_000;
const FIGURES_EVERY_MS = 5_000;
const DRAIN_MS = 4_000;
/** The bounds of a record's maximum size. */
const [MAX_RECORD_BYTES, MIN_RECORD_BYTES] = [131_072, 1_024];

type Deps = { parts: ProcessParts; prisma: PrismaClient; metrics: ProducerMetrics };

/** The server's own producer and its parts. It joins the log with the first order. */
export function createServerOrders(
  env: ServerEnv,
  { parts, prisma, metrics }: Deps,
): { orders: OrderServices; shards: ShardServices } {
  const { pool, redis, log } = parts;
  const limits = shardLimitsOf(env.ORDER_LIMITS);
  const opened = openOrderLog(env, { redis, onProblem: (phrase, fields) => log.warn(fields, phrase) });
  parts.onStop(() => opened.close());
  const registry = new RedisProducerRegistry(redis, env.ORDER_LOG_NAME);
  const plans = new PlanBook(pool);
  const producer = createProducer({
    log: opened.log,
    registry,
    plans,
    settings: { maxBuffered: env.ORDER_BUFFER, silenceMs: env.ORDER_SILENCE_MS, ...recordSizeFor(limits) },
    onError: err => log.warn({ err }, "producer registry not reachable"),
    onAppend: (shardId, { taken }, records) => {
      for (const [i, record] of records.entries()) {
        countAppend(metrics, { shardId, record, isTaken: taken[i] === true });
      }
    },
  });
  const figures = new LiveFigures({ redis, plans, orderLog: opened.log });
  startPlanning(parts, { figures, plans, limits });
  startChecking(parts, opened);
  // The first step of the stop: buffered orders still go into the log.
  parts.onStop(() => producer.stop(DRAIN_MS));
  const shards = createShardServices({ prisma, orderLog: opened.log, plans, figures, limits });
  const orders = createOrderServices({
    prisma,
    pool,
    redis,
    registry,
    plans,
    producer,
    metrics,
    charge: createOrderQuota(env.ORDERS_PER_SECOND),
    orderLog: opened.log,
    log: env.ORDER_LOG_NAME,
    windowUs: env.ORDER_WINDOW_MS * 1_000,
    isLogInRedis: opened.isInRedis,
    limits,
    figures,
  });
  return { orders, shards };
}

type Append = { shardId: string; record: PendingRecord; isTaken: boolean };

function countAppend(metrics: ProducerMetrics, { shardId, record, isTaken }: Append): void {
  if (!isTaken) {
    metrics.throttled(shardId).inc();
    return;
  }
  const { symbol, partitionKey, count } = record;
  const bytes = recordBytes({ partitionKey, data: record.encode() });
  metrics.records(shardId).inc();
  metrics.bytes(shardId).inc(bytes);
  metrics.durable(symbol).inc(count);
  metrics.symbolRecords(symbol).inc();
  metrics.shardSymbolRecords(pairOf(shardId, symbol)).inc();
  metrics.symbolBytes(symbol).inc(bytes);
}

type Planning = { figures: LiveFigures; plans: PlanBook; limits: ShardLimits };

function startPlanning(parts: ProcessParts, { figures, plans, limits }: Planning): void {
  parts.loop({
    name: "split plans",
    everyMs: PLANS_EVERY_MS,
    maxBackoffMs: 2_000,
    step: async () => {
      // Sub-keys are chosen by the shards' last known loads, so that orders never wait for them.
      await figures.readWithin(FIGURES_EVERY_MS).catch(() => {});
      await plans.refresh((symbol, factor) => figures.chooseSubKeys(symbol, factor, limits));
      return "idle";
    },
    failure: "split plans not refreshed; the last ones stay",
  });
}

/** Without an order log, checks and signups still work; the log says why orders are refused. */
function startChecking(parts: ProcessParts, opened: OpenedLog): void {
  if (opened.isInRedis) return;
  parts.loop({
    name: "order log",
    everyMs: CHECK_EVERY_MS,
    step: async () => {
      await opened.check();
      return "idle";
    },
    onError(err) {
      if (err instanceof OrderLogSetupError) parts.log.error({ err }, "order log not usable");
      else parts.warn("order log not reachable")(err);
    },
  });
}

/** A record must be smaller than its shard's limit for one second, or it would never be written. */
function recordSizeFor({ bytesPerSecond }: ShardLimits): { maxRecordBytes?: number } {
  const most = Math.max(MIN_RECORD_BYTES, Math.floor(bytesPerSecond / 8));
  return bytesPerSecond > 0 && most < MAX_RECORD_BYTES ? { maxRecordBytes: most } : {};
}
