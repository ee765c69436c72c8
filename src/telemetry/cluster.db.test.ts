import { afterAll, beforeAll, expect, it } from "vitest";
import { UNGUARDED } from "../store/owner-guard";
import { createRedis, type RedisClient, redisIsReady } from "../store/redis";
import { rollupKey } from "../store/redis-keys";
import { TestCluster } from "../testing/test-cluster";
import { waitFor } from "../testing/wait-for";
import { Flusher } from "./flusher";
import { createGateMetrics } from "./gate-metrics";
import { Instruments } from "./instruments";
import { readSeries } from "./read-series";

let cluster: TestCluster;
let redis: RedisClient;
beforeAll(async () => {
  cluster = await TestCluster.start();
  redis = createRedis(
    { url: cluster.urls, connectionName: "test", commandTimeoutMs: 5_000, guard: UNGUARDED },
    () => {},
  );
  expect(await redisIsReady(redis, 10_000)).toBe(true);
});
afterAll(async () => {
  redis.disconnect();
  await cluster.remove();
});

it("on a cluster a flush is one script, and a chart one round trip to one node", async () => {
  const instruments = new Instruments();
  const metrics = createGateMetrics(instruments);
  const clock = { now: Math.floor(Date.now() / 60_000) * 60_000 - 60_000 };
  const fromMs = clock.now;
  const outages: unknown[] = [];
  // A client that has just connected may ask the wrong node once.
  await waitFor("the map of the slots", async () => {
    const before = await cluster.errorCount("MOVED");
    await redis.get(rollupKey("1s", "none", 0));
    return (await cluster.errorCount("MOVED")) === before;
  });
  const moved = await cluster.errorCount("MOVED");
  const flusher = new Flusher({
    redis,
    instruments,
    kind: "server",
    onOutage: error => outages.push(error),
    now: () => clock.now,
  });
  for (let second = 0; second < 5; second += 1) {
    metrics.checks.available.inc(second);
    metrics.signupLatency.observeMs(50);
    clock.now += 1_000;
    flusher.collect();
    await waitFor("the flush", async () => {
      await flusher.send();
      return flusher.pendingBuckets === 0;
    });
  }
  expect(outages).toEqual([]);
  const { values } = await readSeries(redis, {
    series: ["checks_per_s", "signup_p50_ms"],
    fromMs,
    toMs: fromMs + 5_000,
  });
  expect(values.checks_per_s).toEqual([0, 1, 2, 3, 4]);
  for (const ms of values.signup_p50_ms) expect(Math.abs(ms! - 50) / 50).toBeLessThan(0.022);
  expect(await cluster.errorCount("MOVED")).toBe(moved);
});
