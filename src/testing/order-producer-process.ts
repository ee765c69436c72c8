import { createProducer } from "../orders/create-producer";
import { PlanBook } from "../orders/plan-book";
import { NO_LIMITS, RedisLog } from "../orders/redis-log";
import { createPool } from "../store/postgres";
import { RedisProducerRegistry } from "../store/producer-registry";
import { createRedis, redisIsReady } from "../store/redis";

/**
 * A producer in a process of its own, to be killed at any moment: submits cancels of orders that are
 * not there, which the engine answers with one stored reject each, and prints a line for each batch
 * that is durable. Each batch holds orders of several accounts. Arguments: Redis URL, database URL, log, name, orders per second.
 */
const [redisUrl, databaseUrl, logName, name, rate] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
];
const BATCH = 100;
const ACCOUNTS = 10;
const redis = createRedis({ url: redisUrl, connectionName: "producer", commandTimeoutMs: 2_000 }, () => {});
await redisIsReady(redis, 20_000);
const pool = createPool(
  {
    url: databaseUrl,
    applicationName: "producer",
    maxConnections: 1,
    connectTimeoutMs: 10_000,
    statementTimeoutMs: 10_000,
  },
  () => {},
);
const plans = new PlanBook(pool);
await plans.refresh();
setInterval(() => plans.refresh().catch(() => {}), 200);
const producer = createProducer({
  log: new RedisLog(redis, { log: logName, limits: NO_LIMITS }),
  plans,
  onError: () => {},
  registry: new RedisProducerRegistry(redis, logName),
});
process.once("disconnect", () => process.exit(1));
let isStopping = false;
process.once("SIGTERM", () => {
  isStopping = true;
});

let serial = 0;
while (!isStopping) {
  const orders = Array.from({ length: BATCH }, (_, i) => ({
    kind: "cancel" as const,
    symbol: serial % 400 === 0 ? "BTC" : "DOGE",
    orderId: `${name}-${serial + i}`,
    accountId: `${name}_${(serial + i) % ACCOUNTS}`,
    side: null,
    price: 0,
    quantity: 0,
  }));
  try {
    const receipt = await producer.submit(orders);
    const first = serial;
    serial += BATCH;
    void receipt.durable.then(() => process.stdout.write(`${first}\n`));
    await new Promise(resolve => setTimeout(resolve, (BATCH / Number(rate)) * 1_000));
  } catch {
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}
await producer.stop(30_000);
process.exit(producer.producer.buffered === 0 ? 0 : 1);
