import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { UNGUARDED } from "../../store/owner-guard";
import { createRedis, type RedisClient, redisIsReady } from "../../store/redis";
import { Flusher } from "../../telemetry/flusher";
import { Instruments } from "../../telemetry/instruments";
import { createProducerMetrics } from "../../telemetry/order-metrics";
import { TestRedis } from "../../testing/test-redis";
import { HeatReader } from "./read-heat";

let server: TestRedis;
let redis: RedisClient;
let nowMs = Date.now() - 720_000;
const instruments = new Instruments();
const metrics = createProducerMetrics(instruments);
let flusher: Flusher;

beforeAll(async () => {
  server = await TestRedis.start();
  redis = createRedis(
    { url: server.url, connectionName: "test", commandTimeoutMs: 5_000, guard: UNGUARDED },
    () => {},
  );
  await redisIsReady(redis, 5_000);
  flusher = new Flusher({
    redis,
    instruments,
    kind: "server" as const,
    now: () => nowMs,
    onOutage(error) {
      throw error;
    },
  });
});
afterAll(async () => {
  vi.useRealTimers();
  redis.disconnect();
  await server.remove();
});

/** Counts so many orders of DOGE in each of the next steps of ten seconds. */
async function flow(perStep: readonly number[]): Promise<void> {
  for (const orders of perStep) {
    metrics.offered("DOGE").inc(orders);
    nowMs += 10_000;
    flusher.collect();
    await flusher.send();
  }
}

it("reads only new points, with the same result as a full read", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  nowMs -= nowMs % 10_000;
  await flow(Array.from({ length: 70 }, (_, i) => i * 10));
  const reader = new HeatReader(redis);
  const symbols = ["DOGE", "BTC"];
  vi.setSystemTime(nowMs + 1_000);
  const first = await reader.read(symbols);
  expect(first.rates.get("BTC")).toEqual(Array(60).fill(0));
  expect(first.rates.get("DOGE")).toHaveLength(60);
  expect(first.rates.get("DOGE")!.at(-1)).toBeGreaterThan(60);
  const reads = vi.spyOn(redis, "sumFields");
  for (const steps of [1, 3]) {
    await flow(Array.from({ length: steps }, () => 5_000));
    vi.setSystemTime(nowMs + 1_000);
    reads.mockClear();
    const next = await reader.read(symbols);
    // Of sixty points; the client may call itself once more for each.
    expect(reads.mock.calls.length).toBeLessThanOrEqual((steps + 2) * 2);
    expect(next).toEqual(await new HeatReader(redis).read(symbols));
  }
  // A symbol that was listed meanwhile has no past that was read.
  vi.setSystemTime(nowMs + 11_000);
  const listed = await reader.read([...symbols, "NEW"]);
  expect(listed.rates.get("NEW")).toHaveLength(60);
  expect(listed.rates.get("NEW")!.slice(0, 50)).toEqual(Array(50).fill(null));
});
