import { deliverKeys } from "../filter/deliver";
import { createEngines, type Engines } from "../filter/detect-engine";
import { liveVersions } from "../filter/versions";
import { type BatchResult, type Deliver, type RelayOptions, relayOnce } from "../outbox/relay";
import type { RedisClient } from "../store/redis";
import { connect } from "./engine-contract";
import { createTestDatabase, type TestDatabase } from "./test-database";
import { TestRedis } from "./test-redis";

/** One relay that is stepped by hand, with a database and a Redis of its own. */
export class RelayBench {
  readonly engines: Engines;

  private constructor(
    readonly database: TestDatabase,
    private readonly server: TestRedis,
    readonly redis: RedisClient,
  ) {
    this.engines = createEngines(redis);
  }

  static async start(): Promise<RelayBench> {
    const [database, server] = await Promise.all([createTestDatabase(), TestRedis.start()]);
    return new RelayBench(database, server, await connect(server.url));
  }

  get pool() {
    return this.database.pool;
  }

  readonly toFilter: Deliver = async keys => deliverKeys(this.engines, await liveVersions(this.pool), keys);

  readonly relay = (overrides: Partial<RelayOptions> = {}): Promise<BatchResult> =>
    relayOnce({
      ...{ pool: this.pool, deliver: this.toFilter, relay: "relay" },
      ...{ batchSize: 100, leaseMs: 600_000, maxDataErrors: 5 },
      ...overrides,
    });

  async empty(): Promise<void> {
    await this.pool.query("TRUNCATE users, outbox, filter_versions CASCADE");
    await this.redis.flushall();
  }

  async stop(): Promise<void> {
    this.redis.disconnect();
    await Promise.all([this.database.drop(), this.server.remove()]);
  }
}

export const refused: Deliver = async keys => keys.map(() => ({ error: "Connection is closed." }));
