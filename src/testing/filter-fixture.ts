import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { deliverKeys } from "../filter/deliver";
import { createEngines, type Engines } from "../filter/detect-engine";
import type { FilterEngine } from "../filter/engine";
import type { FilterVersion } from "../filter/layout";
import { liveVersions } from "../filter/versions";
import { type BatchResult, type Deliver, type RelayOptions, relayOnce } from "../outbox/relay";
import type { Pool, PrismaClient } from "../store/postgres";
import type { RedisClient } from "../store/redis";
import { committedNames, namesNotIn } from "./filter-state";
import { pendingEvents } from "./outbox-events";
import { createTestDatabase, insertUsersBySql, type TestDatabase } from "./test-database";
import type { Urls } from "./test-gate";
import { connect, TestRedis } from "./test-redis";
import { waitFor } from "./wait-for";

export type FilterFixtureOptions = {
  maxConnections?: number;
  /** One database for the file, emptied before each test: faster, for tests without workers. */
  sharesDatabase?: boolean;
};

/** One Redis for the test file, empty for each test, and a database. */
export class FilterFixture {
  server!: TestRedis;
  database!: TestDatabase;
  redis!: RedisClient;
  engines!: Engines;
  private cleanups: (() => unknown)[] = [];

  constructor(private readonly options: FilterFixtureOptions) {}

  get pool(): Pool {
    return this.database.pool;
  }

  get prisma(): PrismaClient {
    return this.database.prisma;
  }

  get bitmap(): FilterEngine {
    return this.engines.bitmap;
  }

  get urls(): Urls {
    return { databaseUrl: this.database.url, redisUrl: this.server.url };
  }

  async start(): Promise<void> {
    this.server = await TestRedis.start();
    if (this.options.sharesDatabase) this.database = await createTestDatabase(this.options.maxConnections);
  }

  async stop(): Promise<void> {
    if (this.options.sharesDatabase) await this.database.drop();
    await this.server.remove();
  }

  async open(): Promise<void> {
    const { sharesDatabase, maxConnections } = this.options;
    if (sharesDatabase)
      await this.pool.query("TRUNCATE users, outbox, filter_versions, filter_nodes CASCADE");
    else this.database = await createTestDatabase(maxConnections);
    await this.server.ask("FLUSHALL");
    this.redis = await connect(this.server.url);
    this.engines = createEngines(this.redis);
  }

  async close(): Promise<void> {
    for (const cleanup of this.cleanups.reverse()) await cleanup();
    this.cleanups = [];
    this.redis.disconnect();
    if (!this.options.sharesDatabase) await this.database.drop();
  }

  /** Runs at the end of the test, the latest cleanup first, before Redis and the database are closed. */
  onClose(cleanup: () => unknown): void {
    this.cleanups.push(cleanup);
  }

  /** Users whose events were delivered and purged: only the table has their names. */
  async insertOldUsers(prefix: string, count: number): Promise<string[]> {
    const names = await insertUsersBySql(this.pool, prefix, count);
    await this.pool.query("DELETE FROM outbox");
    return names;
  }

  /** The first committed names that are missing in the version. */
  async missingNames(version: FilterVersion): Promise<string[]> {
    return (await namesNotIn(this.bitmap, version, await committedNames(this.pool))).slice(0, 5);
  }

  /** Blocks every reader and writer of a table until `release` is called or the test ends. */
  async lockTable(table: "users" | "outbox"): Promise<{ release(): Promise<void> }> {
    const client = await this.pool.connect();
    await client.query("BEGIN");
    await client.query("SET LOCAL idle_in_transaction_session_timeout = 0");
    await client.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    let isLocked = true;
    const release = async () => {
      if (!isLocked) return;
      isLocked = false;
      await client.query("ROLLBACK");
      client.release();
    };
    this.onClose(release);
    return { release };
  }

  readonly deliver: Deliver = async keys => deliverKeys(this.engines, await liveVersions(this.pool), keys);

  /** One batch of a relay. */
  readonly relay = (overrides: Partial<RelayOptions> = {}): Promise<BatchResult> =>
    relayOnce({
      pool: this.pool,
      deliver: this.deliver,
      relay: "relay",
      batchSize: 100,
      leaseMs: 600_000,
      maxDataErrors: 5,
      ...overrides,
    });

  /** Delivers all pending events to the live versions, as a relay does. */
  async drain(): Promise<void> {
    await waitFor("the outbox to be empty", async () => {
      await this.relay({ batchSize: 5_000 }).catch(() => {});
      return (await pendingEvents(this.pool)) === 0;
    });
  }
}

/** Registers the hooks that open the fixture before each test and close it afterwards. */
export function filterFixture(options: FilterFixtureOptions = {}): FilterFixture {
  const fixture = new FilterFixture(options);
  beforeAll(() => fixture.start());
  afterAll(() => fixture.stop());
  beforeEach(() => fixture.open());
  afterEach(() => fixture.close());
  return fixture;
}
