import { beforeEach, describe, expect, it } from "vitest";
import { replaySnapshot } from "../outbox/replay-snapshot";
import { redisIsReady } from "../store/redis";
import { filterKey } from "../store/redis-keys";
import { filterFixture } from "../testing/filter-fixture";
import { makeVersion, namesInShard, namesNotIn, shardStates } from "../testing/filter-state";
import { insertUserBySql } from "../testing/test-database";
import { deliverKeys } from "./deliver";
import { ALL_SHARDS, shardOf } from "./layout";
import { type MakeShardsOptions, makeShards } from "./make-shards";
import { masterIdentities } from "./master-identities";
import { readVersion, type StoredVersion } from "./versions";

const { signal } = new AbortController();

const fixture = filterFixture();
let version: StoredVersion;

beforeEach(async () => {
  await fixture.pool.query(
    `INSERT INTO filter_versions (version, engine, state, shard_capacity, error_rate)
     VALUES (1, 'bitmap', 'building', 500, 0.01)`,
  );
  version = (await readVersion(fixture.pool, 1))!;
});

/** Like the worker: the version is live when its shards are loaded. */
function make(more: Partial<MakeShardsOptions> = {}) {
  const { pool, engines, database } = fixture;
  return makeShards({
    pool,
    engines,
    version,
    signal,
    databaseUrl: database.url,
    shards: ALL_SHARDS,
    confirm: async () => {},
    memory: async () => (await masterIdentities(fixture.redis)).join(),
    replay: (start, deliver) => replaySnapshot(fixture.pool, { ...start, deliver, signal }),
    ...more,
    async onLoaded(rows) {
      await fixture.pool.query("UPDATE filter_versions SET state = 'catching-up' WHERE version = 1");
      await more.onLoaded?.(rows);
    },
  });
}

const missing = () => fixture.missingNames(version);

describe("shards made from the database", () => {
  it("contain every name, with few false positives", async () => {
    await fixture.insertOldUsers("old", 20_000);
    expect(await make()).toMatchObject({ rows: 20_000, replayed: 0 });
    expect(new Set(await shardStates(fixture.bitmap, version))).toEqual(new Set(["sealed"]));
    expect(await missing()).toEqual([]);
    const absent = Array.from({ length: 5_000 }, (_, i) => `absent${i}`);
    const falsePositives = absent.length - (await namesNotIn(fixture.bitmap, version, absent)).length;
    expect(falsePositives).toBeLessThan(100);
  });

  it("have the same bits as shards that are filled name by name", async () => {
    const names = await fixture.insertOldUsers("same", 3_000);
    await make();
    const byAdding = await makeVersion(fixture.pool, fixture.bitmap, {
      state: "retired",
      shardCapacity: 500,
    });
    await deliverKeys(fixture.engines, [byAdding], names);
    for (const shard of [0x00, 0x3f, 0xff]) {
      const [built, added] = await Promise.all(
        [1, byAdding.version].map(one => fixture.redis.getBuffer(filterKey(shard, one))),
      );
      // The trailer after the bits depends on the version.
      expect(built!.subarray(0, -6).equals(added!.subarray(0, -6))).toBe(true);
    }
  });

  it("can be made of an empty table", async () => {
    expect(await make()).toMatchObject({ rows: 0 });
    expect(new Set(await shardStates(fixture.bitmap, version))).toEqual(new Set(["sealed"]));
  });

  it("are not loaded when they have more names than their capacity", async () => {
    await fixture.insertOldUsers("many", 3_000);
    await fixture.pool.query("UPDATE filter_versions SET shard_capacity = 5 WHERE version = 1");
    version = (await readVersion(fixture.pool, 1))!;
    const { overfull } = await make();
    expect(overfull.length).toBeGreaterThan(200);
    const states = await shardStates(fixture.bitmap, version);
    expect(new Set(overfull.map(shard => states[shard]))).toEqual(new Set(["missing"]));
  });
});

describe("names that are added while shards are made", () => {
  it("are in the shards: committed or renamed after the snapshot, or started before it and committed later", async () => {
    await fixture.insertOldUsers("there", 5_000);
    await insertUserBySql(fixture.pool, "rename-from");
    await fixture.pool.query("DELETE FROM outbox");
    const late = await fixture.pool.connect();
    await late.query("BEGIN");
    await insertUserBySql(late, "dave");
    await make({
      async onSnapshot() {
        await insertUserBySql(fixture.pool, "carol");
        await fixture.pool.query(
          "UPDATE users SET username_key = 'rename-to' WHERE username_key = 'rename-from'",
        );
        // The version is not live yet, so the relay delivers these names to the other versions only.
        await fixture.drain();
      },
      onLoaded: async () => void (await insertUserBySql(fixture.pool, "erin")),
    });
    await late.query("COMMIT");
    late.release();
    await fixture.drain();
    expect(await namesNotIn(fixture.bitmap, version, ["carol", "rename-to", "dave", "erin"])).toEqual([]);
    expect(await missing()).toEqual([]);
  });

  it("are in a single repaired shard, and the other shards do not change", async () => {
    await fixture.insertOldUsers("there", 2_000);
    await make();
    await fixture.pool.query("UPDATE filter_versions SET state = 'active' WHERE version = 1");
    const shard = 0x2b;
    const [during, uncommitted] = namesInShard(shard, "during", 2);
    const late = await fixture.pool.connect();
    await late.query("BEGIN");
    await insertUserBySql(late, uncommitted!);
    const otherShard = await fixture.redis.getBuffer(filterKey(0x2c, 1));
    await fixture.redis.unlink(filterKey(shard, 1));
    await make({
      shards: [shard],
      onSnapshot: async () => {
        await insertUserBySql(fixture.pool, during!);
        await fixture.relay().catch(() => {});
      },
    });
    await late.query("COMMIT");
    late.release();
    await fixture.drain();
    expect(await missing()).toEqual([]);
    expect((await fixture.redis.getBuffer(filterKey(0x2c, 1)))!.equals(otherShard!)).toBe(true);
    expect(shardOf(during!)).toBe(shard);
  });
});

describe("a Redis that loses its memory during the build", () => {
  it.each<[string, () => Promise<unknown>]>([
    ["flushed", () => fixture.redis.flushall()],
    [
      "restarted with an older dump",
      async () => {
        await fixture.server.kill();
        await fixture.server.run();
        await redisIsReady(fixture.redis, 20_000);
      },
    ],
  ])(
    "%s: no shard is sealed without its names, and the next attempt misses no name",
    async (_, loseMemory) => {
      await fixture.insertOldUsers("kept", 2_000);
      await fixture.server.ask("SAVE");
      await expect(make({ onLoaded: async () => void (await loseMemory()) })).rejects.toThrow();
      const states = await shardStates(fixture.bitmap, version);
      expect(states.filter(state => state === "sealed")).toEqual([]);
      await fixture.pool.query("UPDATE filter_versions SET state = 'building' WHERE version = 1");
      await make();
      expect(await missing()).toEqual([]);
    },
  );
});

describe("a worker that loses its lock", () => {
  const sealed = async () =>
    (await shardStates(fixture.bitmap, version)).filter(state => state === "sealed").length;

  it.each<[string, (lose: () => void) => Partial<MakeShardsOptions>]>([
    [
      "by a signal during the replay",
      lose => ({
        replay: async () => {
          lose();
          return 0;
        },
      }),
    ],
    [
      "by a failed confirmation",
      () => ({ confirm: () => Promise.reject(new Error("The lock is not held any more.")) }),
    ],
  ])("seals no shard when the loss is noticed %s", async (_, options) => {
    await fixture.insertOldUsers("there", 500);
    const losing = new AbortController();
    const lose = () => losing.abort(new Error("The lock is not held any more."));
    await expect(make({ signal: losing.signal, ...options(lose) })).rejects.toThrow("not held");
    expect(await sealed()).toBe(0);
  });

  it("drops the sealed shards when it lost the lock while sealing", async () => {
    await fixture.insertOldUsers("there", 500);
    let asked = 0;
    const confirm = async () => {
      asked += 1;
      if (asked === 2) throw new Error("The lock is not held any more.");
    };
    await expect(make({ confirm })).rejects.toThrow("not held");
    expect(new Set(await shardStates(fixture.bitmap, version))).toEqual(new Set(["missing"]));
  });
});
