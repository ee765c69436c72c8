import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { relayOnce } from "../outbox/relay";
import { replaySnapshot } from "../outbox/replay-snapshot";
import type { Pool } from "../store/postgres";
import { type RedisClient, redisIsReady } from "../store/redis";
import { filterKey } from "../store/redis-keys";
import { connect } from "../testing/engine-contract";
import { committedNames, makeVersion, namesInShard, namesNotIn, shardStates } from "../testing/filter-state";
import { pendingEvents } from "../testing/outbox-events";
import {
  createTestDatabase,
  insertUserBySql,
  insertUsersBySql,
  type TestDatabase,
} from "../testing/test-database";
import { TestRedis } from "../testing/test-redis";
import { waitFor } from "../testing/wait-for";
import { deliverKeys } from "./deliver";
import { createEngines, type Engines } from "./detect-engine";
import { ALL_SHARDS, shardOf } from "./layout";
import { type MakeShardsOptions, makeShards } from "./make-shards";
import { masterIdentities } from "./master-identities";
import { liveVersions, readVersion, type StoredVersion } from "./versions";

const { signal } = new AbortController();

let database: TestDatabase;
let pool: Pool;
let server: TestRedis;
let redis: RedisClient;
let engines: Engines;
let version: StoredVersion;

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
  await pool.query(
    `INSERT INTO filter_versions (version, engine, state, shard_capacity, error_rate)
     VALUES (1, 'bitmap', 'building', 500, 0.01)`,
  );
  version = (await readVersion(pool, 1))!;
});
afterEach(async () => {
  redis.disconnect();
  await database.drop();
});

/** As the worker does it: from the end of the loading on the version is live. */
function make(more: Partial<MakeShardsOptions> = {}) {
  return makeShards({
    ...{ pool, engines, version, signal, databaseUrl: database.url, shards: ALL_SHARDS },
    confirm: async () => {},
    memory: async () => (await masterIdentities(redis)).join(),
    replay: (start, deliver) => replaySnapshot(pool, { ...start, deliver, signal }),
    ...more,
    async onLoaded(rows) {
      await pool.query("UPDATE filter_versions SET state = 'catching-up' WHERE version = 1");
      await more.onLoaded?.(rows);
    },
  });
}

/** Delivers everything that is pending to the versions that are live then, as a relay does. */
async function drain(): Promise<void> {
  const deliver = async (keys: string[]) => deliverKeys(engines, await liveVersions(pool), keys);
  const batch = { relay: "test", batchSize: 5_000, leaseMs: 60_000, maxDataErrors: 5 };
  await waitFor("the outbox to be empty", async () => {
    await relayOnce({ pool, deliver, ...batch }).catch(() => {});
    return (await pendingEvents(pool)) === 0;
  });
}

/** Users whose events were delivered and purged long ago: only the table knows them. */
async function insertOldUsers(prefix: string, count: number): Promise<string[]> {
  const names = await insertUsersBySql(pool, prefix, count);
  await pool.query("DELETE FROM outbox");
  return names;
}

const missing = async () =>
  (await namesNotIn(engines.bitmap, version, await committedNames(pool))).slice(0, 5);

describe("shards made from the database", () => {
  it("hold every name, and few others", async () => {
    await insertOldUsers("old", 20_000);
    expect(await make()).toMatchObject({ rows: 20_000, replayed: 0 });
    expect(new Set(await shardStates(engines.bitmap, version))).toEqual(new Set(["sealed"]));
    expect(await missing()).toEqual([]);
    const absent = Array.from({ length: 5_000 }, (_, i) => `absent${i}`);
    const falsePositives = absent.length - (await namesNotIn(engines.bitmap, version, absent)).length;
    expect(falsePositives).toBeLessThan(100);
  });

  it("are the very bits that adding name by name sets", async () => {
    const names = await insertOldUsers("same", 3_000);
    await make();
    const byAdding = await makeVersion(pool, engines.bitmap, { state: "retired", shardCapacity: 500 });
    await deliverKeys(engines, [byAdding], names);
    for (const shard of [0x00, 0x3f, 0xff]) {
      const [built, added] = await Promise.all(
        [1, byAdding.version].map(one => redis.getBuffer(filterKey(shard, one))),
      );
      // The trailer behind the bits names the version.
      expect(built!.subarray(0, -6).equals(added!.subarray(0, -6))).toBe(true);
    }
  });

  it("are of an empty table as well", async () => {
    expect(await make()).toMatchObject({ rows: 0 });
    expect(new Set(await shardStates(engines.bitmap, version))).toEqual(new Set(["sealed"]));
  });

  it("are not loaded when they have more names than they are made for", async () => {
    await insertOldUsers("many", 3_000);
    await pool.query("UPDATE filter_versions SET shard_capacity = 5 WHERE version = 1");
    version = (await readVersion(pool, 1))!;
    const { overfull } = await make();
    expect(overfull.length).toBeGreaterThan(200);
    const states = await shardStates(engines.bitmap, version);
    expect(new Set(overfull.map(shard => states[shard]))).toEqual(new Set(["missing"]));
  });
});

describe("names that come while shards are made", () => {
  it("are in them: committed after the snapshot, renamed after it, or begun before and committed long after", async () => {
    await insertOldUsers("there", 5_000);
    await insertUserBySql(pool, "rename-from");
    await pool.query("DELETE FROM outbox");
    const late = await pool.connect();
    await late.query("BEGIN");
    await insertUserBySql(late, "dave");
    await make({
      async onSnapshot() {
        await insertUserBySql(pool, "carol");
        await pool.query("UPDATE users SET username_key = 'rename-to' WHERE username_key = 'rename-from'");
        // Nobody is told of this version yet: a relay brings these names to the others, and is done.
        await drain();
      },
      onLoaded: async () => void (await insertUserBySql(pool, "erin")),
    });
    await late.query("COMMIT");
    late.release();
    await drain();
    expect(await namesNotIn(engines.bitmap, version, ["carol", "rename-to", "dave", "erin"])).toEqual([]);
    expect(await missing()).toEqual([]);
  });

  it("are in a single shard that is repaired, and the other shards stay as they are", async () => {
    await insertOldUsers("there", 2_000);
    await make();
    await pool.query("UPDATE filter_versions SET state = 'active' WHERE version = 1");
    const shard = 0x2b;
    const [during, open] = namesInShard(shard, "during", 2);
    const late = await pool.connect();
    await late.query("BEGIN");
    await insertUserBySql(late, open!);
    const elsewhere = await redis.getBuffer(filterKey(0x2c, 1));
    await redis.unlink(filterKey(shard, 1));
    await make({
      shards: [shard],
      onSnapshot: async () => {
        await insertUserBySql(pool, during!);
        await relayOnce({
          ...{ pool, relay: "test", batchSize: 100, leaseMs: 60_000, maxDataErrors: 5 },
          deliver: async keys => deliverKeys(engines, await liveVersions(pool), keys),
        }).catch(() => {});
      },
    });
    await late.query("COMMIT");
    late.release();
    await drain();
    expect(await missing()).toEqual([]);
    expect((await redis.getBuffer(filterKey(0x2c, 1)))!.equals(elsewhere!)).toBe(true);
    expect(shardOf(during!)).toBe(shard);
  });
});

describe("a Redis that loses its memory meanwhile", () => {
  it.each<[string, () => Promise<unknown>]>([
    ["flushed", () => redis.flushall()],
    [
      "restarted with an older dump",
      async () => {
        await server.kill();
        await server.run();
        await redisIsReady(redis, 20_000);
      },
    ],
  ])("%s: no shard is sealed without its names, and the next try is whole", async (_, loseMemory) => {
    await insertOldUsers("kept", 2_000);
    await server.ask("SAVE");
    await expect(make({ onLoaded: async () => void (await loseMemory()) })).rejects.toThrow();
    const states = await shardStates(engines.bitmap, version);
    expect(states.filter(state => state === "sealed")).toEqual([]);
    await pool.query("UPDATE filter_versions SET state = 'building' WHERE version = 1");
    await make();
    expect(await missing()).toEqual([]);
  });
});

describe("a worker that is no longer the only one", () => {
  const sealed = async () =>
    (await shardStates(engines.bitmap, version)).filter(state => state === "sealed").length;

  it.each<[string, (lose: () => void) => Partial<MakeShardsOptions>]>([
    [
      "noticed while events are replayed",
      lose => ({
        replay: async () => {
          lose();
          return 0;
        },
      }),
    ],
    [
      "to be noticed by asking",
      () => ({ confirm: () => Promise.reject(new Error("the lock is not held any more")) }),
    ],
  ])("seals nothing: %s", async (_, options) => {
    await insertOldUsers("there", 500);
    const losing = new AbortController();
    const lose = () => losing.abort(new Error("the lock is not held any more"));
    await expect(make({ signal: losing.signal, ...options(lose) })).rejects.toThrow("not held");
    expect(await sealed()).toBe(0);
  });

  it("takes back what it sealed when it was overtaken in that moment", async () => {
    await insertOldUsers("there", 500);
    let asked = 0;
    const confirm = async () => {
      asked += 1;
      if (asked === 2) throw new Error("the lock is not held any more");
    };
    await expect(make({ confirm })).rejects.toThrow("not held");
    expect(new Set(await shardStates(engines.bitmap, version))).toEqual(new Set(["missing"]));
  });
});
