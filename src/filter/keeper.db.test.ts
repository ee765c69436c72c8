import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { relayOnce } from "../outbox/relay";
import type { Pool } from "../store/postgres";
import { type RedisClient, redisIsReady } from "../store/redis";
import { FILTER_POINTER_KEY, filterKey } from "../store/redis-keys";
import { connect } from "../testing/engine-contract";
import {
  activeVersion,
  committedNames,
  namesInShard,
  namesNotIn,
  shardStates,
} from "../testing/filter-state";
import { pendingEvents } from "../testing/outbox-events";
import {
  createTestDatabase,
  insertUserBySql,
  insertUsersBySql,
  type TestDatabase,
} from "../testing/test-database";
import { startTestRelay } from "../testing/test-gate";
import { TestRedis } from "../testing/test-redis";
import { waitFor } from "../testing/wait-for";
import { BitmapEngine } from "./bitmap-engine";
import { deliverKeys } from "./deliver";
import { createEngines, type Engines } from "./detect-engine";
import type { FilterEngine } from "./engine";
import { Keeper, type KeeperReport, type KeeperSettings } from "./keeper";
import { readPointer } from "./pointer";
import { liveVersions } from "./versions";

const signal = new AbortController().signal;
const SETTINGS: KeeperSettings = { capacity: 50_000, errorRate: 0.01, engine: "auto" };

let database: TestDatabase;
let pool: Pool;
let server: TestRedis;
let redis: RedisClient;
let engines: Engines;
let bitmap: FilterEngine;

beforeAll(async () => {
  server = await TestRedis.start();
});
afterAll(() => server.remove());
beforeEach(async () => {
  database = await createTestDatabase();
  pool = database.pool;
  await server.ask("FLUSHALL");
  redis = await connect(server.url);
  engines = createEngines(redis);
  bitmap = engines.bitmap;
});
afterEach(async () => {
  redis.disconnect();
  await database.drop();
});

/** What happens just before the keeper's first add, or its first seal. */
type Interruption = { beforeAdd?: () => Promise<unknown>; beforeSeal?: () => Promise<unknown> };

/** The real engine, with something happening at a chosen moment of a fill. */
class InterruptedEngine extends BitmapEngine {
  private adding: Promise<unknown> | undefined;
  private sealing: Promise<unknown> | undefined;

  constructor(
    client: RedisClient,
    private readonly interruption: Interruption,
  ) {
    super(client);
  }

  override async add(...args: Parameters<BitmapEngine["add"]>) {
    this.adding ??= this.interruption.beforeAdd?.();
    await this.adding;
    return super.add(...args);
  }

  override async seal(...args: Parameters<BitmapEngine["seal"]>) {
    this.sealing ??= this.interruption.beforeSeal?.();
    await this.sealing;
    return super.seal(...args);
  }
}

function makeKeeper(interruption: Interruption = {}, settings: Partial<KeeperSettings> = {}) {
  const reports: KeeperReport[] = [];
  const keeper = new Keeper({
    pool,
    redis,
    engines: { ...engines, bitmap: new InterruptedEngine(redis, interruption) },
    settings: { ...SETTINGS, ...settings },
    report: report => void reports.push(report),
  });
  return { reports, look: () => keeper.look(signal) };
}

/** Looks until one look succeeds, as the relay's loop does. */
function lookUntilDone(keeper: { look(): Promise<void> }): Promise<void> {
  return waitFor("a look to succeed", () =>
    keeper.look().then(
      () => true,
      () => false,
    ),
  );
}

/** Delivers everything that is pending, as a relay does. */
async function drain(): Promise<void> {
  const deliver = async (keys: string[]) => deliverKeys(engines, await liveVersions(pool), keys);
  const batch = { relay: "test", batchSize: 5_000, leaseMs: 60_000, maxDataErrors: 5 };
  await waitFor("the outbox to be empty", async () => {
    await relayOnce({ pool, deliver, ...batch }).catch(() => {});
    return (await pendingEvents(pool)) === 0;
  });
}

/** Users whose events were delivered and purged long ago: only a fill can know them. */
async function insertOldUsers(prefix: string, count: number): Promise<string[]> {
  const names = await insertUsersBySql(pool, prefix, count);
  await pool.query("DELETE FROM outbox");
  return names;
}

/** Committed names that the active version does not know; the first few. */
async function missingNow(): Promise<string[]> {
  const version = await activeVersion(pool);
  if (!version) throw new Error("there is no active version");
  return (await namesNotIn(bitmap, version, await committedNames(pool))).slice(0, 5);
}

const sealedCount = async () => {
  const version = await activeVersion(pool);
  return version ? (await shardStates(bitmap, version)).filter(state => state === "sealed").length : 0;
};

describe("the first start", () => {
  it("builds version 1 from the users that are there, then publishes the pointer", async () => {
    const names = await insertOldUsers("old", 20_000);
    const keeper = makeKeeper();
    await keeper.look();
    const version = await activeVersion(pool);
    expect(version).toMatchObject({ version: 1, engine: "bitmap", errorRate: 0.01 });
    expect(await readPointer(redis)).toMatchObject({ version: 1, engine: "bitmap", full: [] });
    expect(new Set(await shardStates(bitmap, version!))).toEqual(new Set(["sealed"]));
    expect(await namesNotIn(bitmap, version!, names)).toEqual([]);
    const absent = Array.from({ length: 5_000 }, (_, i) => `absent${i}`);
    const falsePositives = absent.length - (await namesNotIn(bitmap, version!, absent)).length;
    console.log(`false positives: ${falsePositives} of ${absent.length} at 20,000 names of 50,000`);
    expect(falsePositives).toBeLessThan(100);
    expect(keeper.reports.map(report => report.event)).toContain("activated");
  });

  it("makes room for twice the users that are there", async () => {
    await insertOldUsers("many", 3_000);
    await makeKeeper({}, { capacity: 1_000 }).look();
    const version = await activeVersion(pool);
    expect(version!.shardCapacity).toBeGreaterThan(6_000 / 256);
    expect(await missingNow()).toEqual([]);
  });

  it("changes nothing at the next look", async () => {
    await insertOldUsers("calm", 10);
    const keeper = makeKeeper();
    await keeper.look();
    const before = keeper.reports.length;
    await keeper.look();
    expect(keeper.reports.slice(before)).toEqual([
      { event: "shards", version: 1, sealed: 256, full: 0, broken: 0 },
    ]);
    expect(await liveVersions(pool)).toHaveLength(1);
  });

  it("goes on where a keeper was killed", async () => {
    await insertOldUsers("half", 500);
    const killed = makeKeeper({ beforeSeal: () => Promise.reject(new Error("killed")) });
    await expect(killed.look()).rejects.toThrow("killed");
    expect(await activeVersion(pool)).toBeNull();
    expect(await readPointer(redis)).toBeNull();
    await makeKeeper().look();
    expect(await activeVersion(pool)).toMatchObject({ version: 1 });
    expect(await missingNow()).toEqual([]);
  });

  it("does not believe shards that another database left in this Redis", async () => {
    const other = await createTestDatabase();
    await new Keeper({ pool: other.pool, redis, engines, settings: SETTINGS, report() {} }).look(signal);
    await other.drop();
    await insertOldUsers("mine", 1_000);
    await makeKeeper().look();
    expect(await missingNow()).toEqual([]);
  });

  it("does not pile up versions while a forced engine is not there", async () => {
    const keeper = makeKeeper({}, { engine: "redisbloom" });
    for (let look = 0; look < 4; look += 1) await keeper.look().catch(() => {});
    const { rows } = await pool.query("SELECT count(*)::int AS count FROM filter_versions");
    expect(rows[0].count).toBeLessThanOrEqual(1);
  });
});

describe("names that come while a fill runs", () => {
  const others = ["carol", "rename-to", "dave"];

  it("are in the first version: committed during it, renamed during it, or committed long after it", async () => {
    await insertOldUsers("there", 12_000);
    await insertUserBySql(pool, "rename-from");
    await pool.query("DELETE FROM outbox");
    const late = await pool.connect();
    await late.query("BEGIN");
    await insertUserBySql(late, "dave");
    const keeper = makeKeeper({
      // The first page is in the keeper's hands: whatever happens now is not on it.
      async beforeAdd() {
        await insertUserBySql(pool, "carol");
        await pool.query("UPDATE users SET username_key = 'rename-to' WHERE username_key = 'rename-from'");
        await drain();
      },
    });
    await keeper.look();
    expect(await pendingEvents(pool)).toBe(0);
    await late.query("COMMIT");
    late.release();
    expect(await pendingEvents(pool)).toBe(1);
    await drain();
    expect(await namesNotIn(bitmap, (await activeVersion(pool))!, others)).toEqual([]);
    expect(await missingNow()).toEqual([]);
  });

  it("are in a shard that is being repaired", async () => {
    const shard = 0x2b;
    await makeKeeper().look();
    await insertUsersBySql(pool, "there", 2_000);
    await drain();
    const [during, open] = namesInShard(shard, "during", 2);
    const late = await pool.connect();
    await late.query("BEGIN");
    await insertUserBySql(late, open!);
    await redis.unlink(filterKey(shard, 1));
    const keeper = makeKeeper({
      async beforeAdd() {
        await insertUserBySql(pool, during!);
        await drain();
      },
    });
    await keeper.look();
    await late.query("COMMIT");
    late.release();
    await drain();
    expect(await missingNow()).toEqual([]);
    expect(await sealedCount()).toBe(256);
  });

  it("are in the filter when writers never pause, under a real relay that builds and repairs", async () => {
    await insertOldUsers("before", 15_000);
    const relay = startTestRelay({ databaseUrl: database.url, redisUrl: server.url });
    let writing = true;
    let written = 0;
    const write = async (writer: number) => {
      while (writing) await insertUserBySql(pool, `writer${writer}-${written++}`);
    };
    const late = await pool.connect();
    await late.query("BEGIN");
    await insertUserBySql(late, "committed-long-after");
    const writers = [write(1), write(2)];
    await waitFor("the first version", async () => (await activeVersion(pool)) !== null);
    for (let shard = 0; shard < 256; shard += 5) await redis.unlink(filterKey(shard, 1));
    await waitFor("the repair", async () => (await sealedCount()) === 256);
    await redis.flushall();
    await waitFor("the second repair", async () => (await sealedCount()) === 256);
    writing = false;
    await Promise.all(writers);
    await late.query("COMMIT");
    late.release();
    await waitFor("the outbox to be empty", async () => (await pendingEvents(pool)) === 0);
    console.log(`names written while building and repairing: ${written}`);
    expect(await missingNow()).toEqual([]);
    await relay.stop();
  });
});

describe("a Redis that loses its memory during a fill", () => {
  it("does not leave a sealed shard without its names: flushed before the seal", async () => {
    await insertOldUsers("flushed", 2_000);
    await lookUntilDone(makeKeeper({ beforeSeal: () => redis.flushall() }));
    await makeKeeper().look();
    expect(await missingNow()).toEqual([]);
  });

  it("fills the same version again when a repair is flushed, and takes no shard for full", async () => {
    await insertOldUsers("repaired", 2_000);
    await makeKeeper().look();
    await redis.unlink(filterKey(0, 1));
    await lookUntilDone(makeKeeper({ beforeAdd: () => redis.flushall() }));
    await makeKeeper().look();
    expect(await activeVersion(pool)).toMatchObject({ version: 1 });
    expect(await missingNow()).toEqual([]);
  });

  it("does not leave a sealed shard without its names: restarted with an older dump before the seal", async () => {
    await insertOldUsers("restarted", 2_000);
    const keeper = makeKeeper({
      beforeAdd: () => server.ask("SAVE"),
      async beforeSeal() {
        await server.kill();
        await server.run();
        await redisIsReady(redis, 20_000);
      },
    });
    await lookUntilDone(keeper);
    await makeKeeper().look();
    expect(await missingNow()).toEqual([]);
  });
});

describe("a filter that breaks under a running relay", () => {
  async function withRelay(work: () => Promise<void>, redisUrl = server.url): Promise<void> {
    await insertUsersBySql(pool, "kept", 1_000);
    const relay = startTestRelay({ databaseUrl: database.url, redisUrl });
    try {
      await waitFor("the filter to be whole", async () => (await sealedCount()) === 256);
      await waitFor("the outbox to be empty", async () => (await pendingEvents(pool)) === 0);
      await work();
    } finally {
      await relay.stop();
    }
  }

  it("comes back after FLUSHALL, with all names and the pointer", () =>
    withRelay(async () => {
      await redis.flushall();
      await waitFor("256 shards", async () => (await sealedCount()) === 256);
      await waitFor("the pointer", async () => (await readPointer(redis)) !== null);
      expect(await missingNow()).toEqual([]);
    }));

  it.each([
    ["is deleted", (key: string) => redis.unlink(key)],
    ["is overwritten with a string", (key: string) => redis.set(key, "x")],
    ["is overwritten with a hash", (key: string) => redis.multi().del(key).hset(key, "f", "v").exec()],
    [
      "loses its sentinel",
      async (key: string) => redis.setrange(key, (await redis.strlen(key)) - 6, Buffer.alloc(6)),
    ],
  ])("gets a shard back that %s", async (_, damage) => {
    await insertOldUsers("kept", 1_000);
    const keeper = makeKeeper();
    await keeper.look();
    await damage(filterKey(0x42, 1));
    expect(await sealedCount()).toBe(255);
    const before = keeper.reports.length;
    await keeper.look();
    expect(keeper.reports.slice(before)).toContainEqual(
      expect.objectContaining({ event: "filled", version: 1, shards: 1, some: ["42"] }),
    );
    expect(await sealedCount()).toBe(256);
    expect(await missingNow()).toEqual([]);
  });

  it("gets a pointer back that is lost, foreign or wrong", () =>
    withRelay(async () => {
      const pointer = await redis.get(FILTER_POINTER_KEY);
      for (const damage of [
        () => redis.unlink(FILTER_POINTER_KEY),
        () => redis.set(FILTER_POINTER_KEY, "{}"),
        () => redis.multi().del(FILTER_POINTER_KEY).lpush(FILTER_POINTER_KEY, "x").exec(),
      ]) {
        await damage();
        await waitFor("the pointer", async () => {
          return (await redis.get(FILTER_POINTER_KEY).catch(() => null)) === pointer;
        });
      }
    }));

  it("comes back after Redis was killed and started empty", () =>
    withRelay(async () => {
      await server.kill();
      await insertUsersBySql(pool, "meanwhile", 100);
      await server.run();
      await redisIsReady(redis, 20_000);
      await waitFor("256 shards", async () => (await sealedCount().catch(() => 0)) === 256);
      await waitFor("the outbox to be empty", async () => (await pendingEvents(pool)) === 0);
      expect(await missingNow()).toEqual([]);
    }));

  it("is kept whole by two relays at once", () =>
    withRelay(async () => {
      const second = startTestRelay({ databaseUrl: database.url, redisUrl: server.url });
      await insertUsersBySql(pool, "both", 1_000);
      await redis.flushall();
      await insertUsersBySql(pool, "after", 1_000);
      await waitFor("256 shards", async () => (await sealedCount()) === 256);
      await waitFor("the outbox to be empty", async () => (await pendingEvents(pool)) === 0);
      expect(await missingNow()).toEqual([]);
      expect(await liveVersions(pool)).toHaveLength(1);
      await second.stop();
    }));

  it("is kept by the second relay when the first one stops", async () => {
    await insertUsersBySql(pool, "kept", 500);
    const urls = { databaseUrl: database.url, redisUrl: server.url };
    const first = startTestRelay(urls);
    await waitFor("the filter to be whole", async () => (await sealedCount()) === 256);
    const second = startTestRelay(urls);
    await first.stop();
    await redis.flushall();
    await waitFor("256 shards", async () => (await sealedCount()) === 256);
    await waitFor("the outbox to be empty", async () => (await pendingEvents(pool)) === 0);
    expect(await missingNow()).toEqual([]);
    await second.stop();
  });
});

describe("a version of an engine that this server lacks", () => {
  it("is replaced by a bitmap version, with the names of both sides of the switch", async () => {
    await pool.query(
      `INSERT INTO filter_versions (version, engine, state, shard_capacity, error_rate)
       VALUES (1, 'redisbloom', 'active', 500, 0.01)`,
    );
    await insertOldUsers("bloom", 2_000);
    const pending = await insertUsersBySql(pool, "pending", 50);
    const relay = startTestRelay({ databaseUrl: database.url, redisUrl: server.url });
    await waitFor("a bitmap version", async () => (await activeVersion(pool))?.engine === "bitmap");
    await waitFor("the outbox to be empty", async () => (await pendingEvents(pool)) === 0);
    expect(await activeVersion(pool)).toMatchObject({ version: 2, engine: "bitmap" });
    await waitFor("the pointer", async () => (await readPointer(redis))?.version === 2);
    expect(await missingNow()).toEqual([]);
    expect(await namesNotIn(bitmap, (await activeVersion(pool))!, pending)).toEqual([]);
    const { rows } = await pool.query("SELECT state FROM filter_versions WHERE version = 1");
    expect(rows).toEqual([{ state: "retired" }]);
    await relay.stop();
  });
});
