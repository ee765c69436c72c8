import type { Order } from "../domain/orders/order";
import { seededRandom } from "../domain/seeded-random";
import { createProducer } from "../orders/create-producer";
import { PlanBook } from "../orders/plan-book";
import { NO_LIMITS, RedisLog } from "../orders/redis-log";
import { UNGUARDED } from "../store/owner-guard";
import { createPool } from "../store/postgres";
import { RedisProducerRegistry } from "../store/producer-registry";
import { createRedis, redisIsReady } from "../store/redis";
import { ACCOUNTS, BATCH, type ProducerJob } from "./order-producer-job";

/**
 * A producer in a process of its own, to be killed at any moment. It submits buys of all accounts, one batch after the
 * other, and prints "sent <first>" and, when the batch is in the log, "durable <first>". Some batches are sent again,
 * as a client does that has lost the answer. First it sends again what an earlier producer of its name left
 * without an answer.
 */

/** One batch in so many is sent twice. */
const RESENT = 20;
const BUFFERED_BATCHES = 20;

const job = JSON.parse(process.argv[2]!) as ProducerJob;
const { redisUrl, log, name, ordersPerSecond } = job;
const random = seededRandom(job.nextSerial + 1);
const redis = createRedis(
  { url: redisUrl, connectionName: "producer", commandTimeoutMs: 2_000, guard: UNGUARDED },
  () => {},
);
await redisIsReady(redis, 20_000);
const limits = { maxConnections: 1, connectTimeoutMs: 10_000, statementTimeoutMs: 10_000 };
const pool = createPool({ url: job.databaseUrl, applicationName: "producer", ...limits }, () => {});
const plans = new PlanBook(pool);
await plans.refresh();
setInterval(() => plans.refresh().catch(() => {}), 200);
const producer = createProducer({
  log: new RedisLog(redis, { log, limits: NO_LIMITS }),
  plans,
  onError: () => {},
  registry: new RedisProducerRegistry(redis, log),
});
process.once("disconnect", () => process.exit(1));
let isStopping = false;
process.once("SIGTERM", () => {
  isStopping = true;
});

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

/** Of one symbol; each account has two orders in it. */
function batchFrom(first: number): Order[] {
  return Array.from({ length: BATCH }, (_, i) => ({
    kind: "limit" as const,
    symbol: first % (2 * BATCH) === 0 ? "DOGE" : "SOL",
    orderId: `${name}-${first + i}`,
    accountId: `account${i % ACCOUNTS}`,
    side: "buy" as const,
    price: 100,
    quantity: 1,
  }));
}

/** Resolves when the batch is in the buffer; it is tried until then, as a client does with BUSY. */
async function send(first: number): Promise<void> {
  process.stdout.write(`sent ${first}\n`);
  for (;;) {
    try {
      const receipt = await producer.submit(batchFrom(first));
      receipt.durable.then(
        () => process.stdout.write(`durable ${first}\n`),
        () => {},
      );
      return;
    } catch {
      await pause(50);
    }
  }
}

for (const first of job.unanswered) await send(first);
for (let serial = job.nextSerial; !isStopping; serial += BATCH) {
  await send(serial);
  const old = serial - BUFFERED_BATCHES * BATCH;
  if (old >= 0 && random() < 1 / RESENT) await send(old);
  await pause((BATCH / ordersPerSecond) * 1_000);
}
await producer.stop(30_000);
process.exit(producer.producer.buffered === 0 ? 0 : 1);
