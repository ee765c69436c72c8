import { recordBytes } from "../domain/orders/order-log";
import { createProducer } from "../orders/create-producer";
import { openOrderLog } from "../orders/open-order-log";
import { OrderLogSetupError } from "../orders/order-log-setup-error";
import { PlanBook } from "../orders/plan-book";
import type { ShardLimits } from "../orders/redis-log";
import { shardLimitsOf } from "../orders/shard-limits";
import type { ServerEnv } from "../process/server-env";
import type { Logger } from "../runtime/logger";
import { runLoop } from "../runtime/run-loop";
import { createOrderServices, type OrderServices } from "../services/orders/order-services";
import { LiveFigures } from "../services/symbols/live-figures";
import type { Pool, PrismaClient } from "../store/postgres";
import { RedisProducerRegistry } from "../store/producer-registry";
import type { RedisClient } from "../store/redis";
import { type ProducerMetrics, pairOf } from "../telemetry/order-metrics";
import { createOrderQuota } from "./rate-limits";

/** Producers follow a change of plan within a second. */
const PLANS_EVERY_MS = 400;
const CHECK_EVERY_MS = 10_000;
const FIGURES_EVERY_MS = 5_000;
const DRAIN_MS = 4_000;
/** The bounds of a record's maximum size. */
const [MAX_RECORD_BYTES, MIN_RECORD_BYTES] = [131_072, 1_024];

type Deps = { pool: Pool; prisma: PrismaClient; redis: RedisClient; metrics: ProducerMetrics; log: Logger };

/** The server's producer with its split plans and live figures. It joins the log with the first order. */
export function createServerOrders(
  env: ServerEnv,
  { pool, prisma, redis, metrics, log }: Deps,
): { services: OrderServices; stop(): Promise<void> } {
  const name = env.ORDER_LOG_NAME;
  const limits = shardLimitsOf(env.ORDER_LIMITS);
  const opened = openOrderLog(env, { redis, onProblem: (phrase, fields) => log.warn(fields, phrase) });
  const orderLog = opened.log;
  const registry = new RedisProducerRegistry(redis, name);
  const plans = new PlanBook(pool);
  const producer = createProducer({
    log: orderLog,
    registry,
    plans,
    settings: { maxBuffered: env.ORDER_BUFFER, silenceMs: env.ORDER_WINDOW_MS, ...recordSizeFor(limits) },
    onError: err => log.warn({ err }, "producer registry not reachable"),
    onAppend(shardId, { taken }, records) {
      records.forEach((record, i) => {
        if (!taken[i]) {
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
      });
    },
  });
  const figures = new LiveFigures({ redis, plans, orderLog });
  const planning = runLoop({
    name: "split plans",
    everyMs: PLANS_EVERY_MS,
    maxBackoffMs: 2_000,
    step: async () => {
      // Sub-keys are chosen by the shards' last known loads, so that orders never wait for them.
      await figures.readWithin(FIGURES_EVERY_MS).catch(() => {});
      await plans.refresh((symbol, factor) => figures.chooseSubKeys(symbol, factor, limits));
      return "idle";
    },
    onError: err => log.warn({ err }, "split plans not refreshed; the last ones stay"),
  });
  // Without an order log, checks and signups still work; the log says why orders are refused.
  const checking = runLoop({
    name: "order log",
    everyMs: CHECK_EVERY_MS,
    step: async () => {
      if (!opened.isInRedis) await opened.check();
      return "idle";
    },
    onError(err) {
      if (err instanceof OrderLogSetupError) log.error({ err }, "order log not usable");
      else log.warn({ err }, "order log not reachable");
    },
  });
  const charge = createOrderQuota(env.ORDERS_PER_SECOND);
  const windowUs = env.ORDER_WINDOW_MS * 1_000;
  return {
    services: createOrderServices({
      prisma,
      pool,
      redis,
      registry,
      plans,
      producer,
      metrics,
      charge,
      orderLog,
      log: name,
      windowUs,
      isLogInRedis: opened.isInRedis,
      limits,
      figures,
    }),
    async stop() {
      await producer.stop(DRAIN_MS);
      await Promise.all([planning.stop(), checking.stop()]);
      opened.close();
    },
  };
}

/** A record must be smaller than its shard's limit for one second, or it would never be written. */
function recordSizeFor({ bytesPerSecond }: ShardLimits): { maxRecordBytes?: number } {
  const most = Math.max(MIN_RECORD_BYTES, Math.floor(bytesPerSecond / 8));
  return bytesPerSecond > 0 && most < MAX_RECORD_BYTES ? { maxRecordBytes: most } : {};
}
