import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deliverKeys } from "../filter/deliver";
import { createEngines, detectEngine } from "../filter/detect-engine";
import type { FilterEngine } from "../filter/engine";
import { type EngineName, type FilterVersion, SHARD_COUNT, shardOf } from "../filter/layout";
import { createRedis, masters, type RedisClient, redisIsReady } from "../store/redis";
import { filterKey } from "../store/redis-keys";

/** A client as the product makes it, connected. */
export async function connect(url: string, commandTimeoutMs = 2_000): Promise<RedisClient> {
  const redis = createRedis({ url, connectionName: "test", commandTimeoutMs }, () => {});
  if (!(await redisIsReady(redis, 20_000))) throw new Error(`no Redis at ${url}`);
  return redis;
}

const ALL_SHARDS = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);
const KEY = "alice";
const SHARD = shardOf(KEY);

/** What every engine promises, run against a real server whose keys may be flushed. */
export function describeEngine(name: EngineName, url: () => string): void {
  describe(`the ${name} engine`, () => {
    let redis: RedisClient;
    let engine: FilterEngine;
    let nextVersion = 1;
    const makeVersion = (shardCapacity = 1_000): FilterVersion => {
      nextVersion += 1;
      return { version: nextVersion, engine: name, shardCapacity, errorRate: 0.01 };
    };
    const sealedShard = async (shardCapacity?: number) => {
      const version = makeVersion(shardCapacity);
      await engine.reserve(version, SHARD);
      await engine.seal(version, SHARD);
      return version;
    };

    beforeAll(async () => {
      redis = await connect(url());
      await Promise.all(masters(redis).map(node => node.flushall()));
      engine = createEngines(redis)[name];
    });
    afterAll(() => redis.disconnect());

    it("is what the server is detected to have", async () => {
      expect(await detectEngine(redis)).toBe(name);
    });

    it("answers absent, then maybe once the name was added", async () => {
      const version = await sealedShard();
      expect(await engine.lookup(version, SHARD, KEY)).toBe("absent");
      expect(await engine.add(version, SHARD, [KEY, "bob"])).toEqual(["added", "added"]);
      expect(await engine.lookup(version, SHARD, KEY)).toBe("maybe");
      expect(await engine.lookup(version, SHARD, "bob")).toBe("maybe");
      expect(await engine.lookup(version, SHARD, "carol")).toBe("absent");
      expect(await engine.probe(version, SHARD)).toBe("sealed");
    });

    it("never takes a missing shard's 0 for an answer", async () => {
      const version = makeVersion();
      expect(await engine.lookup(version, SHARD, KEY)).toBe("unsealed");
      expect(await engine.probe(version, SHARD)).toBe("missing");
    });

    it("never creates a shard by adding to it", async () => {
      const version = makeVersion();
      const [outcome] = await engine.add(version, SHARD, [KEY]);
      expect(outcome).toMatchObject({ error: expect.stringContaining("not found") });
      expect(await redis.exists(filterKey(SHARD, version.version))).toBe(0);
    });

    it("does not trust a shard that is not sealed yet", async () => {
      const version = makeVersion();
      await engine.reserve(version, SHARD);
      await engine.add(version, SHARD, [KEY]);
      expect(await engine.lookup(version, SHARD, "bob")).toBe("unsealed");
      expect(await engine.probe(version, SHARD)).toBe("open");
      await engine.seal(version, SHARD);
      expect(await engine.lookup(version, SHARD, "bob")).toBe("absent");
    });

    it.each([
      ["a plain string", (key: string) => redis.set(key, "x")],
      ["a hash", (key: string) => redis.hset(key, "field", "x")],
      ["an empty string of another length", (key: string) => redis.setrange(key, 5_000, "x")],
    ])("does not trust %s under the shard's key, and replaces it", async (_, overwrite) => {
      const version = await sealedShard();
      const key = filterKey(SHARD, version.version);
      await redis.unlink(key);
      await overwrite(key);
      expect(await engine.lookup(version, SHARD, KEY)).toBe("unsealed");
      expect(await engine.add(version, SHARD, [KEY])).not.toContain("added");
      expect(await engine.probe(version, SHARD)).toBe("foreign");
      await engine.reserve(version, SHARD);
      expect(await engine.probe(version, SHARD)).toBe("open");
    });

    it("does not trust a shard made with other parameters", async () => {
      const version = await sealedShard();
      expect(await engine.probe({ ...version, shardCapacity: 2_000 }, SHARD)).toBe("foreign");
    });

    it("keeps an open shard's names when it is reserved again", async () => {
      const version = await sealedShard();
      await engine.add(version, SHARD, [KEY]);
      await engine.reserve(version, SHARD);
      expect(await engine.lookup(version, SHARD, KEY)).toBe("maybe");
    });

    it("adds thousands of names in one call, without a false negative", async () => {
      const version = await sealedShard(10_000);
      const keys = Array.from({ length: 5_000 }, (_, i) => `name${i}`);
      expect(new Set(await engine.add(version, SHARD, keys))).toEqual(new Set(["added"]));
      const answers = await Promise.all(keys.map(key => engine.lookup(version, SHARD, key)));
      expect(answers.filter(answer => answer !== "maybe")).toEqual([]);
      const absent = Array.from({ length: 5_000 }, (_, i) => `absent${i}`);
      const falsePositives = await Promise.all(absent.map(key => engine.lookup(version, SHARD, key)));
      // Half full at 1% for a full shard: 5,000 look-ups expect about 5 and never 100.
      expect(falsePositives.filter(answer => answer === "maybe").length).toBeLessThan(100);
    });

    it("answers for all 256 shards at once and one by one", async () => {
      const version = makeVersion(100);
      await Promise.all(ALL_SHARDS.map(shard => engine.reserve(version, shard)));
      await Promise.all(ALL_SHARDS.map(shard => engine.seal(version, shard)));
      const keys = Array.from({ length: 2_000 }, (_, i) => `u${i}`);
      expect(new Set(keys.map(shardOf)).size).toBeGreaterThan(250);
      const outcomes = await deliverKeys(createEngines(redis), [version], keys);
      expect(new Set(outcomes)).toEqual(new Set(["added"]));
      const together = await Promise.all(keys.map(key => engine.lookup(version, shardOf(key), key)));
      expect(together.filter(answer => answer !== "maybe")).toEqual([]);
      for (const shard of ALL_SHARDS) expect(await engine.probe(version, shard)).toBe("sealed");
    });
  });
}
