import { setTimeout as sleep } from "node:timers/promises";
import { shardOfKey } from "../src/domain/orders/hash-range";
import { RedisLog } from "../src/orders/redis-log";
import { UNGUARDED } from "../src/store/owner-guard";
import { createPool } from "../src/store/postgres";
import { createRedis, redisIsReady } from "../src/store/redis";
import { Flusher } from "../src/telemetry/flusher";
import { Instruments } from "../src/telemetry/instruments";
import { createProducerMetrics, pairOf } from "../src/telemetry/order-metrics";

const SYMBOLS = 1_000;
const SHARDS = 64;
const HISTORY_MS = 15 * 60_000;
const STEP_MS = 10_000;
const TICK_MS = 50;

export type BusyMarket = { stop(): Promise<void> };

/**
 * The metrics of a producer with a thousand symbols on 64 shards: of the last 15 minutes at once, and then
 * of every second. The rates are generated; counters and flusher are the product's own.
 */
export async function startBusyMarket(databaseUrl: string, redisUrl: string): Promise<BusyMarket> {
  const redis = createRedis(
    { url: redisUrl, connectionName: "market", commandTimeoutMs: 5_000, guard: UNGUARDED },
    () => {},
  );
  if (!(await redisIsReady(redis, 5_000))) throw new Error("Redis does not answer");
  const pool = createPool(
    {
      url: databaseUrl,
      applicationName: "market",
      maxConnections: 1,
      connectTimeoutMs: 5_000,
      statementTimeoutMs: 10_000,
    },
    () => {},
  );
  await pool.query(
    `INSERT INTO traded_symbols (symbol, price_decimals, quantity_decimals)
     SELECT 'S' || lpad(n::text, 4, '0'), 2, 2 FROM generate_series(1, $1) n ON CONFLICT DO NOTHING`,
    [SYMBOLS],
  );
  const { rows } = await pool.query<{ symbol: string }>("SELECT symbol FROM traded_symbols ORDER BY symbol");
  const symbols = rows.map(({ symbol }) => symbol);
  await pool.end();
  const log = new RedisLog(redis, { log: "orders", limits: { recordsPerSecond: 0, bytesPerSecond: 0 } });
  for (let open = (await log.readMap()).open; open.length < SHARDS; open = (await log.readMap()).open)
    await log.splitShard(widest(open));
  const { open: shards } = await log.readMap();
  const shardIds = symbols.map(symbol => shardOfKey(shards, symbol).id);

  let nowMs = Date.now() - HISTORY_MS;
  const instruments = new Instruments();
  const metrics = createProducerMetrics(instruments);
  const failures: unknown[] = [];
  const flusher = new Flusher({
    redis,
    instruments,
    kind: "server" as const,
    now: () => nowMs,
    onOutage: error => failures.push(error),
  });
  /** Counts the orders of this time: a few symbols with high rates, many with low ones, all irregular. */
  const countOrders = (ms: number) => {
    symbols.forEach((symbol, i) => {
      const perSecond = (400 / (i + 1) + 0.5) * (0.5 + Math.random());
      const orders = Math.floor((perSecond * ms) / 1_000 + Math.random());
      if (orders === 0) return;
      const records = Math.ceil(orders / 8);
      const shardId = shardIds[i]!;
      metrics.offered(symbol).inc(orders);
      metrics.durable(symbol).inc(orders);
      metrics.symbolRecords(symbol).inc(records);
      metrics.symbolBytes(symbol).inc(orders * 58);
      metrics.records(shardId).inc(records);
      metrics.bytes(shardId).inc(orders * 58);
      metrics.shardSymbolRecords(pairOf(shardId, symbol)).inc(records);
      if (i < 4 && Math.random() < 0.05) metrics.throttled(shardId).inc(3);
    });
  };
  for (; nowMs < Date.now() - STEP_MS; nowMs += STEP_MS) {
    countOrders(STEP_MS);
    flusher.collect();
    await flusher.send();
  }

  const stopping = new AbortController();
  const running = (async () => {
    let flushedMs = 0;
    while (!stopping.signal.aborted) {
      countOrders(TICK_MS);
      await sleep(TICK_MS);
      nowMs = Date.now();
      if (nowMs - flushedMs < 1_000) continue;
      flushedMs = nowMs - (nowMs % 1_000);
      flusher.collect();
      await flusher.send();
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await running;
      redis.disconnect();
      if (failures.length > 0) throw failures[0];
    },
  };
}

type OpenShards = Awaited<ReturnType<RedisLog["readMap"]>>["open"];

const widest = (open: OpenShards): string =>
  open.reduce((a, b) => (b.endHash - b.startHash > a.endHash - a.startHash ? b : a)).id;
