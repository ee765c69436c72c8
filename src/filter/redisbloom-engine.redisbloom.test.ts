import { describe, expect, it } from "vitest";
import { describeEngine } from "../testing/engine-contract";
import { namesInShard } from "../testing/filter-state";
import { realRedisBloomUrl } from "../testing/real-redisbloom";
import { connect } from "../testing/test-redis";
import { deliverKeys } from "./deliver";
import { createEngines } from "./detect-engine";
import { shardOf } from "./layout";
import { RedisBloomEngine } from "./redisbloom-engine";

const url = realRedisBloomUrl();
describeEngine("redisbloom", () => url);

describe("a full RedisBloom shard", () => {
  it("accepts the first names, refuses the others by index, and is reported as full", async () => {
    const redis = await connect(url);
    const engine = new RedisBloomEngine(redis);
    const version = { version: 700, engine: "redisbloom" as const, shardCapacity: 4, errorRate: 0.01 };
    const shard = shardOf("alice");
    await engine.reserve(version, shard);
    await engine.seal(version, shard);
    const outcomes = await engine.add(version, shard, ["a", "b", "c", "d", "e", "f"]);
    expect(outcomes.slice(0, 3)).toEqual(["added", "added", "added"]);
    expect(outcomes[3]).toEqual({ error: expect.stringContaining("full") });
    const notAttempted = { error: expect.stringMatching(/^not attempted: .*full/) };
    expect(outcomes.slice(4)).toEqual([notAttempted, notAttempted]);
    expect(await engine.probe(version, shard)).toBe("full");
    redis.disconnect();
  });

  it("of a previous version blocks names until readers know that it is full", async () => {
    const redis = await connect(url);
    const engines = createEngines(redis);
    const version = { version: 701, engine: "redisbloom" as const, shardCapacity: 4, errorRate: 0.01 };
    const names = namesInShard(0x3f, "full", 8);
    await engines.redisbloom.reserve(version, 0x3f);
    await engines.redisbloom.seal(version, 0x3f);
    await engines.redisbloom.add(version, 0x3f, names.slice(0, 3));
    const deliver = (fullShards: number[]) =>
      deliverKeys(engines, [{ ...version, state: "previous", fullShards }], names.slice(3));
    const refused = { error: expect.stringContaining("filter is full") };
    expect(await deliver([])).toEqual(Array(5).fill(refused));
    expect(await deliver([0x40])).toEqual(Array(5).fill(refused));
    expect(await deliver([0x3f])).toEqual(Array(5).fill("added"));
    redis.disconnect();
  });
});
