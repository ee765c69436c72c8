import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filterKey } from "../store/redis-keys";
import { describeEngine } from "../testing/engine-contract";
import { connect, TestRedis } from "../testing/test-redis";
import { BitmapEngine } from "./bitmap-engine";

let server: TestRedis;
beforeAll(async () => {
  server = await TestRedis.start();
});
afterAll(() => server.remove());

describeEngine("bitmap", () => server.url);

describe("the bitmap engine's bits", () => {
  type Recorded = { reserve: [number, number, string?]; chunk: string };
  const { filters, items } = JSON.parse(
    readFileSync(new URL("./redisbloom-vectors.json", import.meta.url), "utf8"),
  ) as { filters: Recorded[]; items: string[] };

  it.each(filters.filter(filter => filter.reserve[2] === "NONSCALING"))(
    "are those of a real RedisBloom for $reserve",
    async ({ reserve: [errorRate, shardCapacity], chunk }) => {
      const redis = await connect(server.url);
      const version = { version: 900, engine: "bitmap" as const, shardCapacity, errorRate };
      const engine = new BitmapEngine(redis);
      await engine.reserve(version, 0);
      expect(await engine.add(version, 0, items)).toEqual(items.map(() => "added"));
      const bytes = await redis.getBuffer(filterKey(0, 900));
      expect(bytes?.subarray(0, chunk.length / 2).toString("hex")).toBe(chunk);
      redis.disconnect();
    },
  );
});
