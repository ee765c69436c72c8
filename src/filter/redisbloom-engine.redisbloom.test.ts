import { describe, expect, it } from "vitest";
import { connect, describeEngine } from "../testing/engine-contract";
import { realRedisBloomUrl } from "../testing/real-redisbloom";
import { shardOf } from "./layout";
import { RedisBloomEngine } from "./redisbloom-engine";

const url = realRedisBloomUrl();
describeEngine("redisbloom", () => url);

describe("a full RedisBloom shard", () => {
  it("takes the first names, refuses the rest by index, and is reported as full", async () => {
    const redis = await connect(url);
    const engine = new RedisBloomEngine(redis);
    const version = { version: 700, engine: "redisbloom" as const, shardCapacity: 4, errorRate: 0.01 };
    const shard = shardOf("alice");
    await engine.reserve(version, shard);
    await engine.seal(version, shard);
    const outcomes = await engine.add(version, shard, ["a", "b", "c", "d", "e", "f"]);
    expect(outcomes.slice(0, 3)).toEqual(["added", "added", "added"]);
    expect(outcomes[3]).toEqual({ error: expect.stringContaining("full") });
    expect(outcomes.slice(4)).toEqual([{ error: "not attempted" }, { error: "not attempted" }]);
    expect(await engine.probe(version, shard)).toBe("full");
    redis.disconnect();
  });
});
