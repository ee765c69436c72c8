import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { UNGUARDED } from "../store/owner-guard";
import { createRedis, type RedisClient, redisIsReady } from "../store/redis";
import { TestRedis } from "../testing/test-redis";
import { waitFor } from "../testing/wait-for";
import { Flusher } from "./flusher";
import { createGateMetrics, createRelayMetrics } from "./gate-metrics";
import { Instruments } from "./instruments";
import { readSeries } from "./read-series";
import { ROLLUPS } from "./rollups";
import type { SeriesId } from "./series";

let server: TestRedis;
let redis: RedisClient;
const open: RedisClient[] = [];

beforeAll(async () => {
  server = await TestRedis.start(["--appendonly", "yes", "--appendfsync", "always"]);
  redis = await connect(5_000);
});
afterAll(async () => {
  for (const client of open) client.disconnect();
  await server.remove();
});
beforeEach(() => redis.flushall());

async function connect(commandTimeoutMs: number): Promise<RedisClient> {
  const client = createRedis(
    { url: server.url, connectionName: "telemetry test", commandTimeoutMs, guard: UNGUARDED },
    () => {},
  );
  open.push(client);
  expect(await redisIsReady(client, 5_000)).toBe(true);
  return client;
}

/** A second that is whole in every rollup, some time ago. */
const T = Math.floor((Date.now() - 300_000) / 60_000) * 60_000;

/** A process of its own, on a clock that the test turns. */
function newServer(client = redis) {
  const instruments = new Instruments();
  const clock = { now: T };
  const outages: unknown[] = [];
  const flusher = new Flusher({
    redis: client,
    instruments,
    kind: "server",
    onOutage: error => outages.push(error),
    now: () => clock.now,
  });
  const metrics = createGateMetrics(instruments);
  return {
    metrics,
    flusher,
    outages,
    instruments,
    /** One second: `work`, then what the timer does. */
    async second(work: () => void = () => {}, { wait = true } = {}) {
      work();
      clock.now += 1_000;
      flusher.collect();
      const sent = flusher.send();
      if (wait) await sent;
    },
  };
}

const read = <Id extends SeriesId>(series: Id[], seconds: number, fromMs = T) =>
  readSeries(redis, { series, fromMs, toMs: fromMs + seconds * 1_000, nowMs: T + 200_000 });

describe("flushing", () => {
  it("two processes add up, in every rollup", async () => {
    const [a, b] = [newServer(), newServer()];
    for (let second = 0; second < 30; second += 1) {
      await a.second(() => a.metrics.checks.available.inc(3));
      await b.second(() => b.metrics.checks.taken.inc(4));
    }
    const fine = await read(["checks_per_s"], 30);
    expect(fine.stepMs).toBe(1_000);
    expect(fine.values.checks_per_s).toEqual(new Array(30).fill(7));
    for (const { name, stepMs } of ROLLUPS) {
      const keys = await redis.keys(`{telemetry}:${name}:username_checks_total.*`);
      const fields = await Promise.all(keys.map(key => redis.hvals(key)));
      const counts = fields.flat().map(Number);
      expect([name, counts.reduce((sum, count) => sum + count, 0)]).toEqual([name, 210]);
      expect(counts.length).toBe(2 * Math.ceil(30_000 / stepMs));
    }
  });

  it("percentiles are those of all processes' signups", async () => {
    const [a, b] = [newServer(), newServer()];
    await a.second(() => {
      for (let ms = 1; ms <= 100; ms += 1) a.metrics.signupLatency.observeMs(ms);
    });
    await b.second(() => {
      for (let ms = 101; ms <= 200; ms += 1) b.metrics.signupLatency.observeMs(ms);
    });
    const { values } = await read(["signup_p50_ms", "signup_p95_ms", "signup_p99_ms"], 1);
    for (const [measured, exact] of [
      [values.signup_p50_ms[0], 100],
      [values.signup_p95_ms[0], 190],
      [values.signup_p99_ms[0], 198],
    ] as const) {
      expect(Math.abs(measured! - exact) / exact).toBeLessThan(0.022);
    }
  });

  it("a key is kept as long as its rollup, and one slot holds them all", async () => {
    const a = newServer();
    await a.second(() => a.metrics.checks.available.inc());
    for (const { name, keptMs } of ROLLUPS) {
      for (const key of await redis.keys(`{telemetry}:${name}:*`)) {
        const ttl = await redis.ttl(key);
        expect(ttl).toBeGreaterThanOrEqual(keptMs / 1_000);
        expect(ttl).toBeLessThanOrEqual(keptMs / 1_000 + 120);
      }
    }
    const keys = await redis.keys("*");
    expect(keys.length).toBeGreaterThan(8);
    for (const key of keys) {
      expect(key).toMatch(/^\{telemetry\}:/);
      expect(await redis.ttl(key)).toBeGreaterThan(0);
    }
  });

  it("a batch that is sent twice counts once", async () => {
    const shortTimeout = await connect(100);
    const a = newServer(shortTimeout);
    await a.second(() => a.metrics.checks.available.inc());
    server.pause();
    // Redis has it in its socket and will carry it out, but this process cannot know.
    await a.second(() => a.metrics.checks.available.inc(5));
    expect(a.outages.length).toBe(1);
    server.resume();
    await waitFor("the batch to be confirmed", async () => {
      await a.flusher.send();
      return a.flusher.pendingBuckets === 0;
    });
    expect((await read(["checks_per_s"], 2)).values.checks_per_s).toEqual([1, 5]);
  });
});

describe("while Redis is away", () => {
  it("no caller waits, memory is bounded, and counts are added to their own second", async () => {
    const shortTimeout = await connect(200);
    const a = newServer(shortTimeout);
    await a.second(() => a.metrics.checks.available.inc(2));
    await server.kill();
    const startedAt = performance.now();
    for (let second = 0; second < 60; second += 1) {
      await a.second(
        () => {
          a.metrics.checks.available.inc(second);
          a.metrics.fallbacks.filter_unavailable.inc(1);
        },
        { wait: second % 10 === 0 },
      );
    }
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    expect(a.outages.length).toBe(1);
    // Sixty seconds, what they are in coarser grains, and the current batch.
    expect(a.flusher.pendingBuckets).toBeLessThan(60 + 20);

    await server.run();
    await waitFor("it to be flushed", async () => {
      await a.flusher.send();
      return a.flusher.pendingBuckets === 0;
    });
    expect(await redisIsReady(redis, 5_000)).toBe(true);
    const { values } = await read(["checks_per_s", "fallback_filter_unavailable_per_s"], 61);
    expect(values.checks_per_s).toEqual([2, ...Array.from({ length: 60 }, (_, second) => second)]);
    expect(values.fallback_filter_unavailable_per_s.slice(1)).toEqual(new Array(60).fill(1));
  });

  it("past the bound the oldest seconds are dropped and counted; coarser grains keep the sum", async () => {
    const a = newServer(await connect(200));
    await server.kill();
    for (let second = 0; second < 240; second += 1)
      await a.second(() => a.metrics.checks.available.inc(), { wait: false });
    await server.run();
    await waitFor("it to be flushed", async () => {
      await a.flusher.send();
      return a.flusher.pendingBuckets === 0;
    });
    await waitFor("Redis", () => redisIsReady(redis, 1_000));
    const sumOf = async (rollup: string) => {
      const keys = await redis.keys(`{telemetry}:${rollup}:username_checks_total.available:*`);
      const counts = (await Promise.all(keys.map(key => redis.hvals(key)))).flat().map(Number);
      return counts.reduce((sum, count) => sum + count, 0);
    };
    expect(await sumOf("1m")).toBe(240);
    expect(await sumOf("10s")).toBe(240);
    const family = a.instruments.families.find(({ name }) => name === "telemetry_dropped_buckets_total")!;
    const dropped = (family.children as Record<string, { total: number }>)["1s"]!.total;
    // One or more batches were being written when Redis stopped.
    expect(dropped).toBeGreaterThanOrEqual(100);
    expect((await sumOf("1s")) + dropped).toBe(240);
  });
});

describe("reading", () => {
  it("distinguishes 0 from unknown", async () => {
    const a = newServer();
    await a.second(() => {
      a.metrics.lookups.absent.inc(3);
      a.metrics.lookups.maybe.inc(1);
    });
    await a.second();
    const { at, values } = await read(
      ["bloom_exists_true_rate", "checks_per_s", "signup_p95_ms", "relay_delivered_per_s", "outbox_backlog"],
      3,
    );
    expect(at).toEqual([T, T + 1_000, T + 2_000]);
    expect(values.bloom_exists_true_rate).toEqual([0.25, null, null]);
    expect(values.checks_per_s).toEqual([0, 0, null]);
    expect(values.signup_p95_ms).toEqual([null, null, null]);
    expect(values.relay_delivered_per_s).toEqual([null, null, null]);
    expect(values.outbox_backlog).toEqual([null, null, null]);
  });

  it("gauges of several relays are not added", async () => {
    for (const [lag, backlog] of [
      [1.5, 10],
      [1.75, 9],
    ] as const) {
      const instruments = new Instruments();
      const relay = createRelayMetrics(instruments);
      const clock = { now: T };
      const flusher = new Flusher({ redis, instruments, kind: "relay", onOutage() {}, now: () => clock.now });
      relay.lagSeconds.set(lag);
      relay.backlog.set(backlog);
      clock.now += 1_000;
      flusher.collect();
      await flusher.send();
    }
    const { values } = await read(["outbox_lag_seconds", "outbox_backlog", "relay_delivered_per_s"], 1);
    expect(values).toEqual({ outbox_lag_seconds: [1.75], outbox_backlog: [10], relay_delivered_per_s: [0] });
  });

  it("the current point covers the part of its time that is over, once that is long enough", async () => {
    const a = newServer();
    const readAt = (seconds: number, backMs: number) =>
      readSeries(redis, {
        series: ["busy_per_s"],
        fromMs: T - backMs,
        toMs: T + 3_600_000,
        nowMs: T + seconds * 1_000,
      });
    for (let second = 0; second < 16; second += 1) await a.second(() => a.metrics.checks.busy.inc(2));
    // The last second is flushed, and not yet settled.
    const ofSeconds = await readAt(16.3, 12 * 60_000);
    expect(ofSeconds).toMatchObject({ stepMs: 2_000 });
    expect(ofSeconds.at.at(-1)).toBe(T + 12_000);
    expect(ofSeconds.values.busy_per_s.slice(-2)).toEqual([2, 2]);
    const ofTens = await readAt(16.3, 30 * 60_000);
    expect(ofTens).toMatchObject({ stepMs: 10_000 });
    expect(ofTens.at.at(-1)).toBe(T);
    for (let second = 16; second < 30; second += 1) await a.second(() => a.metrics.checks.busy.inc(2));
    const ofMinutes = await readAt(30.7, 7 * 3_600_000);
    expect(ofMinutes).toMatchObject({ stepMs: 60_000 });
    expect(ofMinutes.at.at(-1)).toBe(T);
    expect(ofMinutes.values.busy_per_s.at(-1)).toBe(2);
  });

  it("14 days: at most 500 points, one write to Redis for a whole dashboard", async () => {
    const a = newServer();
    await a.second(() => a.metrics.checks.available.inc());
    const series: SeriesId[] = ["signup_p50_ms", "signup_p95_ms", "signup_p99_ms", "checks_per_s"];
    const replies: number[] = [];
    const monitored = await connect(5_000);
    const { stream } = monitored as unknown as { stream: { write(...args: unknown[]): boolean } };
    const write = stream.write.bind(stream);
    stream.write = (...args) => {
      replies.push(1);
      return write(...args);
    };
    const startedAt = performance.now();
    const { at, stepMs } = await readSeries(monitored, {
      series,
      fromMs: T + 200_000 - 14 * 86_400_000,
      toMs: T + 200_000,
      nowMs: T + 200_000,
    });
    console.log("14 days of 4 series:", Math.round(performance.now() - startedAt), "ms, step", stepMs);
    expect(at.length).toBeLessThanOrEqual(500);
    expect(at.length).toBeGreaterThan(300);
    expect(replies.length).toBe(1);
  });

  it("throws BUSY during a Redis outage", async () => {
    const client = await connect(200);
    await server.kill();
    await expect(
      readSeries(client, { series: ["checks_per_s"], fromMs: Date.now() - 60_000, toMs: Date.now() }),
    ).rejects.toMatchObject({ code: "BUSY" });
    await server.run();
  });
});
