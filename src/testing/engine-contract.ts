import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deliverKeys } from "../filter/deliver";
import { createEngines, detectEngine } from "../filter/detect-engine";
import type { FilterEngine } from "../filter/engine";
import {
  ALL_SHARDS,
  bitsOf,
  type EngineName,
  type FilterVersion,
  sentinelOf,
  shardLayout,
  shardOf,
} from "../filter/layout";
import { masters, type RedisClient } from "../store/redis";
import { filterKey } from "../store/redis-keys";
import { connect } from "./test-redis";

const KEY = "alice";
const SHARD = shardOf(KEY);

function bitsOfNames(version: FilterVersion, keys: string[]): Uint8Array {
  const layout = shardLayout(version);
  const bits = new Uint8Array(layout.bytes);
  for (const key of keys) for (const bit of bitsOf(key, layout)) bits[bit >> 3]! |= 1 << (bit & 7);
  return bits;
}

/** Tests of every engine, on a real Redis whose keys may be flushed. */
export function describeEngine(name: EngineName, url: () => string): void {
  describe(`the ${name} engine`, () => {
    const fixture = new EngineFixture(name);
    beforeAll(() => fixture.connect(url()));
    afterAll(() => fixture.redis.disconnect());
    describeLookups(fixture);
    describeLoading(fixture);
    describeManyNames(fixture);
  });
}

class EngineFixture {
  redis!: RedisClient;
  engine!: FilterEngine;
  private lastVersion = 1;

  constructor(readonly name: EngineName) {}

  async connect(url: string): Promise<void> {
    this.redis = await connect(url);
    await Promise.all(masters(this.redis).map(node => node.flushall()));
    this.engine = createEngines(this.redis)[this.name];
  }

  makeVersion(shardCapacity = 1_000): FilterVersion {
    this.lastVersion += 1;
    return { version: this.lastVersion, engine: this.name, shardCapacity, errorRate: 0.01 };
  }

  async sealedShard(shardCapacity?: number): Promise<FilterVersion> {
    const version = this.makeVersion(shardCapacity);
    await this.engine.reserve(version, SHARD);
    await this.engine.seal(version, SHARD);
    return version;
  }
}

function describeLookups(fixture: EngineFixture): void {
  it("is the detected engine of the server", async () => {
    expect(await detectEngine(fixture.redis)).toBe(fixture.name);
  });

  it("answers absent, then maybe once the name was added", async () => {
    const version = await fixture.sealedShard();
    expect(await fixture.engine.lookup(version, SHARD, KEY)).toBe("absent");
    expect(await fixture.engine.add(version, SHARD, [KEY, "bob"])).toEqual(["added", "added"]);
    expect(await fixture.engine.lookup(version, SHARD, KEY)).toBe("maybe");
    expect(await fixture.engine.lookup(version, SHARD, "bob")).toBe("maybe");
    expect(await fixture.engine.lookup(version, SHARD, "carol")).toBe("absent");
    expect(await fixture.engine.probe(version, SHARD)).toBe("sealed");
  });

  it("never counts the 0 of a missing shard as absent", async () => {
    const version = fixture.makeVersion();
    expect(await fixture.engine.lookup(version, SHARD, KEY)).toBe("unsealed");
    expect(await fixture.engine.probe(version, SHARD)).toBe("missing");
  });

  it("never creates a shard by adding to it", async () => {
    const version = fixture.makeVersion();
    const [outcome] = await fixture.engine.add(version, SHARD, [KEY]);
    expect(outcome).toMatchObject({ error: expect.stringContaining("not found") });
    expect(await fixture.redis.exists(filterKey(SHARD, version.version))).toBe(0);
  });

  it("does not trust a shard that is not sealed yet", async () => {
    const version = fixture.makeVersion();
    await fixture.engine.reserve(version, SHARD);
    await fixture.engine.add(version, SHARD, [KEY]);
    expect(await fixture.engine.lookup(version, SHARD, "bob")).toBe("unsealed");
    expect(await fixture.engine.probe(version, SHARD)).toBe("open");
    await fixture.engine.seal(version, SHARD);
    expect(await fixture.engine.lookup(version, SHARD, "bob")).toBe("absent");
  });

  it.each([
    ["a plain string", (key: string) => fixture.redis.set(key, "x")],
    ["a hash", (key: string) => fixture.redis.hset(key, "field", "x")],
    ["an empty string of another length", (key: string) => fixture.redis.setrange(key, 5_000, "x")],
  ])("does not trust %s under the shard's key, and replaces it", async (_, overwrite) => {
    const version = await fixture.sealedShard();
    const key = filterKey(SHARD, version.version);
    await fixture.redis.unlink(key);
    await overwrite(key);
    expect(await fixture.engine.lookup(version, SHARD, KEY)).toBe("unsealed");
    expect(await fixture.engine.add(version, SHARD, [KEY])).not.toContain("added");
    expect(await fixture.engine.probe(version, SHARD)).toBe("mismatched");
    await fixture.engine.reserve(version, SHARD);
    expect(await fixture.engine.probe(version, SHARD)).toBe("open");
  });

  it("does not trust a shard made with other parameters", async () => {
    const version = await fixture.sealedShard();
    expect(await fixture.engine.probe({ ...version, shardCapacity: 2_000 }, SHARD)).toBe("mismatched");
  });

  it("keeps an open shard's names when it is reserved again", async () => {
    const version = await fixture.sealedShard();
    await fixture.engine.add(version, SHARD, [KEY]);
    await fixture.engine.reserve(version, SHARD);
    expect(await fixture.engine.lookup(version, SHARD, KEY)).toBe("maybe");
  });

  it("looks up many names in one call, by index, and checks the sentinel in every reply", async () => {
    const version = await fixture.sealedShard();
    const keys = Array.from({ length: 2_500 }, (_, i) => `many${i}`);
    const added = keys.filter((_, i) => i % 3 === 0).slice(0, 300);
    await fixture.engine.add(version, SHARD, added);
    const answers = await fixture.engine.lookupMany(version, SHARD, keys);
    expect(answers).toEqual(await Promise.all(keys.map(key => fixture.engine.lookup(version, SHARD, key))));
    expect(keys.filter((key, i) => added.includes(key) && answers[i] !== "maybe")).toEqual([]);
    expect(answers.filter(answer => answer === "absent").length).toBeGreaterThan(2_000);
    expect(await fixture.engine.lookupMany(version, SHARD, [])).toEqual([]);
    const open = fixture.makeVersion();
    await fixture.engine.reserve(open, SHARD);
    expect(new Set(await fixture.engine.lookupMany(open, SHARD, keys))).toEqual(new Set(["unsealed"]));
    await fixture.redis.set(filterKey(SHARD, open.version), "x");
    expect(new Set(await fixture.engine.lookupMany(open, SHARD, keys))).toEqual(new Set(["unsealed"]));
  });
}

function describeLoading(fixture: EngineFixture): void {
  // 300,000 names at 1%: 360 kB, which is more than one chunk.
  it.each([20, 1_000, 300_000])("loads a shard for %i names, open until it is sealed", async capacity => {
    const version = fixture.makeVersion(capacity);
    const keys = Array.from({ length: Math.min(capacity / 2, 5_000) }, (_, i) => `name${i}`);
    const bits = bitsOfNames(version, keys);
    await fixture.redis.set(filterKey(SHARD, version.version), "something else");
    for (let times = 0; times < 2; times += 1) {
      expect(await fixture.engine.load(version, SHARD, bits, keys.length)).toBe("loaded");
      expect(await fixture.engine.probe(version, SHARD)).toBe("open");
      expect(new Set(await fixture.engine.lookupMany(version, SHARD, ["x", ...keys]))).toEqual(
        new Set(["unsealed"]),
      );
    }
    await fixture.engine.seal(version, SHARD);
    expect(await fixture.engine.probe(version, SHARD)).toBe("sealed");
    const answers = await fixture.engine.lookupMany(version, SHARD, keys);
    expect(answers.filter(answer => answer !== "maybe")).toEqual([]);
    expect(await fixture.engine.add(version, SHARD, ["one more"])).toEqual(["added"]);
    const absent = Array.from({ length: 1_000 }, (_, i) => `absent${i}`);
    const wrong = (await fixture.engine.lookupMany(version, SHARD, absent)).filter(
      answer => answer !== "absent",
    );
    // 1% of a full shard would be 10; these are half full.
    expect(wrong.length).toBeLessThan(20);
  });

  it("keeps a loaded shard open even when its names set every bit of the sentinel", async () => {
    const version = fixture.makeVersion();
    const bits = new Uint8Array(shardLayout(version).bytes).fill(0xff);
    await fixture.engine.load(version, SHARD, bits, 1);
    expect(await fixture.engine.probe(version, SHARD)).toBe("open");
    expect(await fixture.engine.lookup(version, SHARD, "bob")).toBe("unsealed");
    await fixture.engine.seal(version, SHARD);
    expect(await fixture.engine.probe(version, SHARD)).toBe("sealed");
    const anyNames = Array.from({ length: 500 }, (_, i) => `any${i}`);
    expect(new Set(await fixture.engine.lookupMany(version, SHARD, anyNames))).toEqual(new Set(["maybe"]));
  });

  it("loads the same bytes as adding name by name", async () => {
    const [added, loaded] = [fixture.makeVersion(), fixture.makeVersion()];
    const keys = Array.from({ length: 500 }, (_, i) => `name${i}`);
    await fixture.engine.reserve(added, SHARD);
    await fixture.engine.add(added, SHARD, keys);
    const bits = bitsOfNames(loaded, keys);
    await fixture.engine.load(loaded, SHARD, bits, keys.length);
    // The sentinel depends on the version: compare the bytes without the sentinel's bits.
    const [one, other] = await Promise.all(
      [added, loaded].map(version => fixture.redis.dumpBuffer(filterKey(SHARD, version.version))),
    );
    const layout = shardLayout(loaded);
    const start = one!.indexOf(Buffer.from(bits.subarray(0, 8)));
    expect(start).toBeGreaterThan(0);
    const difference = [...Array(layout.bytes).keys()].filter(i => one![start + i] !== other![start + i]);
    const [missing] = bitsOf(sentinelOf(loaded.version), layout);
    expect(difference.filter(i => i !== missing! >> 3)).toEqual([]);
  });

  it("refuses bits of another size", async () => {
    const load = fixture.engine.load(fixture.makeVersion(), SHARD, new Uint8Array(8), 0);
    await expect(load).rejects.toThrow("A shard has");
  });
}

function describeManyNames(fixture: EngineFixture): void {
  it("adds thousands of names in one call, without a false negative", async () => {
    const version = await fixture.sealedShard(10_000);
    const keys = Array.from({ length: 5_000 }, (_, i) => `name${i}`);
    expect(new Set(await fixture.engine.add(version, SHARD, keys))).toEqual(new Set(["added"]));
    const answers = await Promise.all(keys.map(key => fixture.engine.lookup(version, SHARD, key)));
    expect(answers.filter(answer => answer !== "maybe")).toEqual([]);
    const absent = Array.from({ length: 5_000 }, (_, i) => `absent${i}`);
    const falsePositives = await Promise.all(absent.map(key => fixture.engine.lookup(version, SHARD, key)));
    // The shard is half full, with 1% at full capacity: of 5,000 lookups about 5 are false positives.
    expect(falsePositives.filter(answer => answer === "maybe").length).toBeLessThan(100);
  });

  it("works for all 256 shards, in parallel and one by one", async () => {
    const version = fixture.makeVersion(100);
    await Promise.all(ALL_SHARDS.map(shard => fixture.engine.reserve(version, shard)));
    await Promise.all(ALL_SHARDS.map(shard => fixture.engine.seal(version, shard)));
    const keys = Array.from({ length: 2_000 }, (_, i) => `u${i}`);
    expect(new Set(keys.map(shardOf)).size).toBeGreaterThan(250);
    const outcomes = await deliverKeys(createEngines(fixture.redis), [version], keys);
    expect(new Set(outcomes)).toEqual(new Set(["added"]));
    const together = await Promise.all(keys.map(key => fixture.engine.lookup(version, shardOf(key), key)));
    expect(together.filter(answer => answer !== "maybe")).toEqual([]);
    for (const shard of ALL_SHARDS) expect(await fixture.engine.probe(version, shard)).toBe("sealed");
  });
}
