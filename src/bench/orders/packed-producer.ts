import { AppError } from "../../domain/app-error";
import type { Order } from "../../domain/orders/order";
import { createProducer } from "../../orders/create-producer";
import { PlanBook } from "../../orders/plan-book";
import { NO_LIMITS, RedisLog } from "../../orders/redis-log";
import { createPool } from "../../store/postgres";
import { RedisProducerRegistry } from "../../store/producer-registry";
import type { RedisClient } from "../../store/redis";
import { nowUs, pace } from "./clock";
import { Disturbance, QuietLimit } from "./disturbance";
import type { Job, Report } from "./job";

/** The product's producer. */
export async function runPackedProducer(job: Job, redis: RedisClient): Promise<Report> {
  const pool = createPool(
    {
      url: job.databaseUrl,
      applicationName: "bench",
      maxConnections: 1,
      connectTimeoutMs: 10_000,
      statementTimeoutMs: 10_000,
    },
    () => {},
  );
  const plans = new PlanBook(pool);
  await plans.refresh();
  const log = new RedisLog(redis, { log: job.log, limits: NO_LIMITS });
  const registry = new RedisProducerRegistry(redis, job.log);
  let fences = 0;
  const producer = createProducer({
    log,
    registry,
    plans,
    onError: error => console.error(error),
    onAppend: (_, { outcome }) => {
      if (outcome === "fenced") fences += 1;
    },
  });
  // Made beforehand, on both sides: what is measured is their way, not their making.
  const all = Array.from({ length: job.orders }, (_, serial) => anOrder(job.symbol, serial, 1));
  const progress = () => `${producer.producer.durable} of ${job.orders} orders became durable`;
  const limit = new QuietLimit(job.quietMs, progress);
  const startUs = nowUs();
  await pace(job, job.rate > 0 ? job.rate / 1_000 : 500, async (from, count) => {
    const price = Math.max(1, Math.floor(nowUs() - job.baseUs));
    const orders = all.slice(from, from + count);
    for (const order of orders) order.price = price;
    for (;;) {
      try {
        await producer.submit(orders);
        limit.reset();
        break;
      } catch (error) {
        if (!(error instanceof AppError) || error.details.retryAfterMs === undefined) throw error;
        limit.check();
        await new Promise(resolve => setTimeout(resolve, error.details.retryAfterMs));
      }
    }
    // Let the event loop send what is buffered.
    await new Promise(resolve => setImmediate(resolve));
  });
  await producer.stop(60_000);
  await pool.end();
  if (producer.producer.durable < job.orders) throw new Disturbance(progress());
  return fences === 0 ? { startUs } : { startUs, disturbance: "the producer was fenced" };
}

export function anOrder(symbol: string, serial: number, price: number): Order {
  return {
    kind: "limit",
    symbol,
    orderId: `o${serial}`,
    accountId: `a${serial % 1_000}`,
    side: serial % 2 === 0 ? "buy" : "sell",
    price,
    quantity: 100,
  };
}
