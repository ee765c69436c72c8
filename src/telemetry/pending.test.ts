import { describe, expect, it } from "vitest";
import { Collector, FREE_AFTER } from "./collect";
import { createGateMetrics, createRelayMetrics } from "./gate-metrics";
import { Instruments, sumOf } from "./instruments";
import { createAggregatorMetrics, createEngineMetrics, createProducerMetrics } from "./order-metrics";
import { Pending } from "./pending";
import { exposeToPrometheus } from "./prometheus";
import { ROLLUPS } from "./rollups";
import { namesOf, SERIES } from "./series";

const T = 1_772_000_000_000 - (1_772_000_000_000 % 3_600_000);
const one = { id: "checks", how: "sum", value: 1 } as const;

describe("the collected counts", () => {
  it("is collected as growth, once, and read by Prometheus from the same place", async () => {
    const instruments = new Instruments();
    const metrics = createGateMetrics(instruments);
    const collector = new Collector(instruments.families);
    const registry = exposeToPrometheus(instruments.families);
    metrics.checks.taken.inc();
    metrics.checks.taken.inc(2);
    metrics.signupLatency.observeMs(100);
    expect(collector.collect()).toEqual([
      { id: "username_checks_total.taken", how: "sum", value: 3 },
      { id: "signup_latency_seconds", bucket: 107, how: "sum", value: 1 },
    ]);
    metrics.checks.taken.inc();
    expect(collector.collect()).toEqual([{ id: "username_checks_total.taken", how: "sum", value: 1 }]);
    expect(collector.collect()).toEqual([]);

    const text = await registry.metrics();
    expect(text).toContain('username_checks_total{status="taken"} 4\n');
    expect(text).toContain("# TYPE signup_latency_seconds histogram\n");
    expect(text).toContain('signup_latency_seconds_bucket{le="0.064"} 0\n');
    expect(text).toContain('signup_latency_seconds_bucket{le="0.128"} 1\n');
    expect(text).toContain('signup_latency_seconds_bucket{le="+Inf"} 1\n');
    expect(text).toContain("signup_latency_seconds_sum 0.1\n");
  });

  it("a gauge that is no longer measured is unknown, not its last value", async () => {
    const instruments = new Instruments();
    const relay = createRelayMetrics(instruments);
    const collector = new Collector(instruments.families);
    expect(collector.collect()).toEqual([]);
    relay.backlog.set(7);
    expect(collector.collect()).toEqual([{ id: "outbox_backlog", how: "max", value: 7 }]);
    expect(await exposeToPrometheus(instruments.families).metrics()).toContain("outbox_backlog 7\n");
  });

  it("has a maximum of values: values past it count together, are reported once, and are known from zero", () => {
    const problems: string[] = [];
    const instruments = new Instruments({ onFull: ({ message }) => problems.push(message) });
    const orders = instruments.openCounters({ name: "orders", help: "", label: "symbol", max: 2 });
    const collector = new Collector(instruments.families);
    for (const symbol of ["BTC", "DOGE"]) orders(symbol).inc();
    expect(problems).toEqual([]);
    for (const symbol of ["SOL", "ADA", "DOGE"]) orders(symbol).inc();
    expect(problems).toEqual(['orders counts 2 values apart, and all others as "other"']);
    const sums = new Map(collector.collect().map(({ id, value }) => [id, value]));
    expect(sumOf(sums, "orders", "DOGE")).toBe(2);
    expect(sumOf(sums, "orders", "SOL")).toBeNull();
    expect(sumOf(new Map(), "orders", "SOL")).toBe(0);
  });

  it("forgets a value after ten minutes without a count, and counts it again later", () => {
    const instruments = new Instruments();
    const shards = instruments.openCounters({ name: "records", help: "", label: "shard", max: 2 });
    const fixed = instruments.counters({ name: "checks", help: "", label: "status", values: ["taken"] });
    const collector = new Collector(instruments.families);
    for (const shard of ["0", "1"]) shards(shard).inc();
    fixed.taken.inc();
    for (let second = 0; second < FREE_AFTER; second += 1) {
      shards("1").inc();
      collector.collect();
    }
    shards("2").inc();
    expect(collector.collect().map(({ id }) => id)).toEqual(["records.other"]);
    collector.collect();
    for (const shard of ["3", "0"]) shards(shard).inc();
    expect(collector.collect()).toContainEqual({ id: "records.3", how: "sum", value: 1 });
    fixed.taken.inc();
    expect(collector.collect()).toEqual([{ id: "checks.taken", how: "sum", value: 1 }]);
  });

  it("every series is made of names that a process counts", () => {
    const instruments = new Instruments();
    createGateMetrics(instruments);
    createRelayMetrics(instruments);
    createProducerMetrics(instruments);
    createAggregatorMetrics(instruments);
    createEngineMetrics(instruments);
    for (const { families } of [instruments])
      for (const family of families) {
        for (const instrument of Object.values(family.children)) {
          if (family.type === "counter") (instrument as { inc(): void }).inc();
          else if (family.type === "gauge") (instrument as { set(value: number): void }).set(1);
          else (instrument as { observeMs(ms: number): void }).observeMs(1);
        }
      }
    const counted = new Set(new Collector(instruments.families).collect().map(({ id }) => id));
    for (const spec of Object.values(SERIES)) {
      for (const name of namesOf(spec)) expect(counted).toContain(name);
    }
  });
});

describe("pending buckets", () => {
  it("is merged per bucket of each rollup; gauges keep their highest value", () => {
    const pending = new Pending(() => {});
    for (let second = 0; second < 20; second += 1) {
      pending.add(T + second * 1_000, [one, { id: "lag", how: "max", value: second % 7 } as const]);
    }
    const buckets = pending.take(Number.POSITIVE_INFINITY);
    const of = (name: string) => buckets.filter(({ rollup }) => rollup.name === name);
    expect(of("1s").length).toBe(20);
    expect(of("10s").map(({ amounts }) => amounts.get("checks")?.value)).toEqual([10, 10]);
    expect(of("10m").map(({ amounts }) => [...amounts.values()].map(({ value }) => value))).toEqual([
      [20, 6],
    ]);
    expect(pending.size).toBe(0);
  });

  it("are added only to rollups that keep them as long as they are read", () => {
    const pending = new Pending(() => {});
    const pair = { id: "pair", how: "sum", value: 1, keptMs: ROLLUPS[1]!.keptMs } as const;
    pending.add(T, [one, pair]);
    const holding = pending.take(Number.POSITIVE_INFINITY).filter(({ amounts }) => amounts.has("pair"));
    expect(holding.map(({ rollup }) => rollup.name)).toEqual(["1s", "10s"]);
  });

  it("is taken in pieces, each bucket once", () => {
    const pending = new Pending(() => {});
    for (let second = 0; second < 50; second += 1) pending.add(T + second * 1_000, [one]);
    const size = pending.size;
    let taken = 0;
    for (let piece = pending.take(7); piece.length > 0; piece = pending.take(7)) {
      expect(piece.length).toBeLessThanOrEqual(7);
      taken += piece.length;
    }
    expect(taken).toBe(size);
  });

  it("has a bound: after eight hours without Redis the oldest fine buckets are dropped, and counted", () => {
    const dropped: string[] = [];
    const pending = new Pending(({ name }) => dropped.push(name));
    const seconds = 8 * 3_600;
    for (let second = 0; second < seconds; second += 1) pending.add(T + second * 1_000, [one]);
    const bound = ROLLUPS.reduce((sum, { maxPending }) => sum + maxPending, 0);
    expect(pending.size).toBeLessThanOrEqual(bound);
    const count = (name: string) => dropped.filter(one => one === name).length;
    expect(ROLLUPS.map(({ name }) => count(name))).toEqual([seconds - 120, 2_880 - 180, 480 - 360, 0, 0]);
    // The coarsest grain has lost nothing.
    const tens = pending.take(Number.POSITIVE_INFINITY).filter(({ rollup }) => rollup.name === "10m");
    expect(tens.reduce((sum, { amounts }) => sum + amounts.get("checks")!.value, 0)).toBe(seconds);
  });
});
