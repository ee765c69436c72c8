import { afterAll, beforeAll, expect, it } from "vitest";
import { aggregatorsKey } from "../store/order-keys";
import type { RedisClient } from "../store/redis";
import { connect, TestRedis } from "../testing/test-redis";
import { AggregatorStatusStore } from "./aggregator-status-store";

let server: TestRedis;
let redis: RedisClient;
beforeAll(async () => {
  server = await TestRedis.start();
  redis = await connect(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.remove();
});

const line = (atMs: number) => ({
  atMs,
  partitions: [0],
  bufferedEvents: 7,
  slowestProducer: null,
  lagMs: 4_000,
  memoryBytes: 1,
});

it("an aggregator that was killed is not shown as running, and its line goes", async () => {
  const statusStore = new AggregatorStatusStore(redis, "test");
  const now = 1_000_000;
  await statusStore.write("killed", line(now));
  await statusStore.write("alive", line(now));
  expect((await statusStore.read(now)).map(({ owner }) => owner)).toEqual(["alive", "killed"]);
  await statusStore.write("alive", line(now + 6_000));
  expect((await statusStore.read(now + 6_000)).map(({ owner }) => owner)).toEqual(["alive"]);
  await statusStore.removeDead(now + 61_000);
  expect(await redis.hkeys(aggregatorsKey("test"))).toEqual(["alive"]);
  await statusStore.remove("alive");
  expect(await statusStore.read(now + 6_000)).toEqual([]);
});
