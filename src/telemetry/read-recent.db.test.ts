import { afterAll, beforeAll, expect, it } from "vitest";
import { UNGUARDED } from "../store/owner-guard";
import { createRedis, type RedisClient, redisIsReady } from "../store/redis";
import { TestRedis } from "../testing/test-redis";
import { readRecent } from "./read-recent";
import { BUCKETS_PER_KEY, floorTo, ROLLUPS } from "./rollups";
import { placeOf } from "./write-rollups";

let server: TestRedis;
let redis: RedisClient;
beforeAll(async () => {
  server = await TestRedis.start();
  redis = createRedis(
    { url: server.url, connectionName: "test", commandTimeoutMs: 5_000, guard: UNGUARDED },
    () => {},
  );
  await redisIsReady(redis, 5_000);
});
afterAll(async () => {
  redis.disconnect();
  await server.remove();
});

const set = async (id: string, atMs: number, amount: number) => {
  const { key, field } = placeOf(ROLLUPS[0]!, atMs, { id });
  await redis.hset(key, field, amount);
};

it("adds up the last seconds of a thousand names, also where a hash ends among them", async () => {
  const names = Array.from({ length: 1_000 }, (_, n) => `orders.S${n}`);
  // A hash begins at this second.
  const border = floorTo(Date.now(), BUCKETS_PER_KEY * 1_000);
  const nowMs = border + 3_000;
  for (const [n, name] of names.entries()) {
    if (n % 2 === 0) continue;
    await set(name, border - 10_000, 1_000_000);
    await set(name, border - 1_000, n);
    await set(name, border + 1_000, 10_000);
  }
  const sums = await readRecent(redis, names, { seconds: 5, nowMs });
  expect(sums.size).toBe(1_000);
  names.forEach((name, n) => {
    expect(sums.get(name), name).toBe(n % 2 === 0 ? null : 10_000 + n);
  });
  await set(names[1]!, border - 2_000, 0);
  expect((await readRecent(redis, [names[0]!, names[1]!], { seconds: 3, nowMs })).get(names[1]!)).toBe(
    10_001,
  );
  expect(await readRecent(redis, [], { seconds: 5, nowMs })).toEqual(new Map());
});

it("keeps a zero that was reported apart from nothing", async () => {
  const nowMs = floorTo(Date.now(), 1_000);
  await set("quiet", nowMs - 3_000, 0);
  expect((await readRecent(redis, ["quiet", "silent"], { seconds: 5, nowMs })).get("quiet")).toBe(0);
  expect((await readRecent(redis, ["silent"], { seconds: 5, nowMs })).get("silent")).toBeNull();
});
