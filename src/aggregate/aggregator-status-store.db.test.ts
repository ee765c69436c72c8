import { afterAll, beforeAll, expect, it } from "vitest";
import { aggregatorsKey } from "../store/order-keys";
import type { RedisClient } from "../store/redis";
import { connect } from "../testing/engine-contract";
import { TestRedis } from "../testing/test-redis";
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
  waiting: 7,
  slowestProducer: null,
  lagMs: 4_000,
  memoryBytes: 1,
});

it("an aggregator that was killed is not shown as running, and its line goes", async () => {
  const board = new AggregatorStatusStore(redis, "test");
  const now = 1_000_000;
  await board.write("killed", line(now));
  await board.write("alive", line(now));
  expect((await board.read(now)).map(({ owner }) => owner)).toEqual(["alive", "killed"]);
  await board.write("alive", line(now + 6_000));
  expect((await board.read(now + 6_000)).map(({ owner }) => owner)).toEqual(["alive"]);
  await board.removeDead(now + 61_000);
  expect(await redis.hkeys(aggregatorsKey("test"))).toEqual(["alive"]);
  await board.remove("alive");
  expect(await board.read(now + 6_000)).toEqual([]);
});
