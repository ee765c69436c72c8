import { describe, expect, it } from "vitest";
import type { OrderStatus, ShardSeries } from "../contract";
import { slowestAggregator, summarizeStream, throttledShards } from "./summarize-stream";

const aggregator = (owner: string, lagMs: number | null, partitions: number[]) => ({
  owner,
  lagMs,
  partitions,
  atMs: 0,
  bufferedEvents: 0,
  slowestProducer: null,
  memoryBytes: 0,
});

describe("the slowest aggregator", () => {
  it("is the one with the highest lag; one without symbols comes last", () => {
    const all = [aggregator("idle", null, []), aggregator("a", 3, [0]), aggregator("b", 40, [1])];
    expect(slowestAggregator(all)?.owner).toBe("b");
    expect(slowestAggregator([])).toBeUndefined();
  });

  it("is one that has symbols and no known lag", () => {
    const all = [aggregator("a", 900, [0]), aggregator("stuck", null, [1])];
    expect(slowestAggregator(all)?.owner).toBe("stuck");
  });
});

const flow = (throttledPerSecond: number) => ({ recordsPerSecond: 1, bytesPerSecond: 1, throttledPerSecond });
const status = (change: object = {}) =>
  ({
    aggregators: [aggregator("a", 5, [0])],
    producers: [],
    engines: [{ symbol: "DOGE", violations: 0 }],
    deadLetters: 0,
    shards: [
      { shardId: "0", flow: flow(0) },
      { shardId: "1", flow: flow(0) },
    ],
    ...change,
  }) as unknown as OrderStatus;
const delayed = { aggregators: [aggregator("a", 251, [0])] };
const throttled = { shards: [{ shardId: "0", flow: flow(2) }] };

describe("the stream's summary", () => {
  it.each([
    [{}, "ok", "Orders are on time and in order"],
    [{ aggregators: [] }, "unknown", "The state of the stream is not fully known"],
    [{ shards: [{ shardId: "0", flow: null }] }, "unknown", "The state of the stream is not fully known"],
    [{ deadLetters: 1 }, "warning", "Orders are in order; some events are dead letters"],
    [{ deadLetters: 1, ...delayed }, "warning", "Orders are delayed"],
    [{ ...delayed, ...throttled }, "critical", "Shards throttle orders"],
    [{ engines: [{ violations: 1 }], ...throttled }, "critical", "Orders reached the engine out of order"],
  ] as const)("of %j is %s: %s", (change, state, word) => {
    expect(summarizeStream(status(change))).toMatchObject({ state, word });
  });

  it("is critical while the chart shows a throttled shard, also when the status shows none", () => {
    const { state, parts } = summarizeStream(status(), ["1"]);
    expect(state).toBe("critical");
    expect(parts).toContainEqual({ title: "Throttled shards", state: "critical", text: "1" });
  });
});

describe("the throttled shards of the series", () => {
  const series = (throttled: (number | null)[]) =>
    ({
      stepMs: 1_000,
      at: [0, 1_000, 2_000],
      shards: [{ shardId: "7", throttled }],
    }) as unknown as ShardSeries;

  it.each([
    [[0, 0, 3], 3_000, ["7"]],
    [[0, 3, null], 3_000, ["7"]],
    [[3, 3, 0], 3_000, []],
    [[0, 0, 3], 60_000, []],
    [[null, null, null], 3_000, []],
  ])("with %j at %d ms are %j", (throttled, nowMs, shards) => {
    expect(throttledShards(series(throttled), nowMs)).toEqual(shards);
  });

  it("are none where a point stands for a minute", () => {
    expect(throttledShards({ ...series([0, 0, 3]), stepMs: 60_000 }, 3_000)).toEqual([]);
  });
});
