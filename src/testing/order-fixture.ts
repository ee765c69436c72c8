import type { Order } from "../domain/orders/order";
import { createProducer } from "../orders/create-producer";
import { PlanBook } from "../orders/plan-book";
import type { ProducerLoops } from "../orders/producer-loops";
import { NO_LIMITS, RedisLog, type ShardLimits } from "../orders/redis-log";
import { aggregatorEnv, engineEnv } from "../process/order-env";
import { UNGUARDED } from "../store/owner-guard";
import { RedisProducerRegistry } from "../store/producer-registry";
import { createRedis, type RedisClient, redisIsReady } from "../store/redis";
import { runAggregator } from "../workers/run-aggregator";
import { runEngine } from "../workers/run-engine";
import { quietLog } from "./quiet-log";
import type { TestCluster } from "./test-cluster";
import { createTestDatabase, type TestDatabase } from "./test-database";
import { TestRedis } from "./test-redis";
import { waitFor } from "./wait-for";

export const LOG = "test";
/** The account that sells on credit. */
export const MARKET_MAKER = "market-maker";

/** A log, an aggregator and an engine of a test file's own, on real Redis and Postgres. */
export class OrderFixture {
  private readonly stops: (() => Promise<unknown>)[] = [];

  private constructor(
    readonly database: TestDatabase,
    private readonly redisUrl: string,
    readonly server: TestRedis,
    readonly redis: RedisClient,
    readonly log: RedisLog,
    readonly plans: PlanBook,
  ) {}

  static async start({
    shards = 5,
    limits = NO_LIMITS,
    redisArgs = [],
    cluster,
  }: {
    /** 0: the log is somewhere else. */
    shards?: number;
    limits?: ShardLimits;
    redisArgs?: string[];
    /** In place of a server of its own; `server` is then its first node. */
    cluster?: TestCluster;
  } = {}): Promise<OrderFixture> {
    const [database, server] = await Promise.all([
      createTestDatabase(),
      cluster?.nodes[0] ?? TestRedis.start(redisArgs),
    ]);
    const url = cluster?.urls ?? server.url;
    const redis = createRedis(
      { url, connectionName: "test", commandTimeoutMs: 5_000, guard: UNGUARDED },
      () => {},
    );
    await redisIsReady(redis, 5_000);
    const log = new RedisLog(redis, { log: LOG, limits });
    if (shards > 0) await log.create(shards);
    const plans = new PlanBook(database.pool);
    await plans.refresh();
    return new OrderFixture(database, url, server, redis, log, plans);
  }

  get env() {
    return { DATABASE_URL: this.database.url, REDIS_URL: this.redisUrl, ORDER_LOG_NAME: LOG };
  }

  aggregator(env: Record<string, string> = {}): { stop(): Promise<void> } {
    return this.keep(runAggregator(aggregatorEnv.parse({ ...this.env, ...env }), quietLog("aggregator")));
  }

  engine(env: Record<string, string> = {}): { stop(): Promise<void> } {
    return this.keep(
      runEngine(
        engineEnv.parse({
          ...this.env,
          ENGINE_SNAPSHOT_MS: "100",
          ENGINE_CREDIT_ACCOUNTS: MARKET_MAKER,
          ...env,
        }),
        quietLog("engine"),
      ),
    );
  }

  producer(options: Partial<Parameters<typeof createProducer>[0]> = {}): ProducerLoops {
    const registry = new RedisProducerRegistry(this.redis, LOG);
    const producer = createProducer({
      log: this.log,
      registry,
      plans: this.plans,
      onError: () => {},
      ...options,
    });
    this.stops.push(() => producer.stop(2_000));
    return producer;
  }

  async split(symbol: string, factor: number, placement = "planned"): Promise<void> {
    await this.database.pool.query(
      `INSERT INTO split_plans (symbol, epoch, factor, strategy, placement, reason, set_by, set_at)
       VALUES ($1, 1 + (SELECT count(*) FROM split_plans WHERE symbol = $1), $2, 'random', $3, 'test', 'test', now())`,
      [symbol, factor, placement],
    );
    await this.plans.refresh();
  }

  async totals(
    symbol: string,
  ): Promise<{ orders: number; rejects: number; violations: number; trades: number }> {
    const { rows } = await this.database.pool.query(
      "SELECT orders::int, rejects::int, violations::int, trades::int FROM engine_states WHERE symbol = $1",
      [symbol],
    );
    return rows[0] ?? { orders: 0, rejects: 0, violations: 0, trades: 0 };
  }

  async matched(symbol: string, orders: number, timeoutMs = 30_000): Promise<void> {
    await waitFor(
      `${orders} orders of ${symbol} to be matched`,
      async () => (await this.totals(symbol)).orders >= orders,
      timeoutMs,
    );
  }

  async stop(): Promise<void> {
    for (const stop of this.stops.reverse()) await stop();
    this.redis.disconnect();
    await this.database.drop();
    await this.server.remove();
  }

  private keep<T extends { stop(): Promise<void> }>(running: T): T {
    let stopped: Promise<void> | null = null;
    const once = () => (stopped ??= running.stop());
    this.stops.push(once);
    return { ...running, stop: once };
  }
}

let serial = 0;

/** A buy of the fixture's, so that everything else has a counterpart; or any order with these changes. */
export function anOrder(change: Partial<Order> = {}): Order {
  serial += 1;
  return {
    kind: "limit" as const,
    symbol: "DOGE",
    orderId: `o${serial}`,
    accountId: "alice",
    side: "buy" as const,
    price: 7_000,
    quantity: 100,
    ...change,
  };
}
