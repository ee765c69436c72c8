import { describe, expect, it } from "vitest";
import type { SymbolPage, SymbolRow } from "../contract";
import { summarizeSymbols } from "./summarize-symbols";
import { symbolStateOf } from "./symbol-state";

const shard = (shardId: string, recordsPerSecond: number, throttledPerSecond = 0) => ({
  shardId,
  flow: { recordsPerSecond, bytesPerSecond: 0, throttledPerSecond },
});
const list = (change: object = {}) =>
  ({
    shards: [shard("0", 10), shard("1", 70)],
    limits: { recordsPerSecond: 100, bytesPerSecond: 0 },
    urgent: null,
    split: [],
    halted: [],
    offeredPerSecond: 80,
    ...change,
  }) as unknown as SymbolPage;
const urgent = { symbol: "DOGE", factor: 1, mergedUtilization: 1.4 };

describe("the summary of all symbols", () => {
  it.each([
    [{}, "ok", "Every shard has room"],
    [{ shards: [shard("0", 10), shard("1", 80)] }, "warning", "Shard 1 is at 80 % of its limit"],
    [{ halted: ["DOGE"] }, "warning", "DOGE is halted"],
    [
      { halted: ["ADA", "BTC", "DOGE", "XRP"], shards: [shard("0", 80)] },
      "warning",
      "ADA, BTC, DOGE and 1 more are halted",
    ],
    [{ halted: ["DOGE"], shards: [shard("0", 101)] }, "critical", "Shard 0 is at 101 % of its limit"],
    [{ shards: [shard("0", 101)] }, "critical", "Shard 0 is at 101 % of its limit"],
    [
      { shards: [shard("0", 10, 2)] },
      "critical",
      "Shards throttle records, but no single symbol fills a shard",
    ],
    [{ urgent }, "critical", "DOGE exceeds one shard"],
    [{ urgent: { ...urgent, factor: 2 } }, "critical", "DOGE fills its 2 shards"],
    [
      { shards: [shard("0", 10), { shardId: "1", flow: null }] },
      "unknown",
      "The load is unknown: no server reports it",
    ],
    [{ limits: { recordsPerSecond: 0, bytesPerSecond: 0 } }, "ok", "Every shard has room"],
  ])("of %j is %s: %s", (change, state, word) => {
    expect(summarizeSymbols(list(change))).toMatchObject({ state, word });
  });

  it("shows the fullest shard, throttled shards, the order rate and split symbols", () => {
    const { parts } = summarizeSymbols(list({ split: ["ADA", "DOGE"] }));
    expect(parts?.map(({ title, state, text }) => `${title} ${text} ${state}`)).toEqual([
      "Fullest shard 1, 70 % ok",
      "Throttled shards none ok",
      "Order rate 80 /s undefined",
      "Split symbols ADA, DOGE undefined",
    ]);
  });
});

describe("a symbol's state", () => {
  const row = (change: object) =>
    ({
      state: "hot",
      factor: 1,
      recommended: 2,
      halt: null,
      shard: { utilization: 0.8, throttledPerSecond: 0 },
      ...change,
    }) as SymbolRow;
  const withRoom = { factor: 2, shard: { utilization: 0.6, throttledPerSecond: 0 } };

  it.each([
    [{}, "warning", "hot"],
    [{ shard: { utilization: 0.9, throttledPerSecond: 0 } }, "critical", "hot, overloaded"],
    [{ shard: { utilization: 0.5, throttledPerSecond: 3 } }, "critical", "hot, overloaded"],
    [withRoom, "ok", "hot, split"],
    [{ ...withRoom, shard: null }, "warning", "hot"],
    [{ state: "mergeable", factor: 2 }, "ok", "can merge"],
    [{ state: "warm" }, "ok", "warm"],
    [{ state: "halted", halt: { reason: "a fork" } }, "warning", "halted"],
    [{ state: "unknown", shard: null }, "unknown", "unknown"],
  ])("of %j is %s: %s", (change, state, word) => {
    expect(symbolStateOf(row(change))).toMatchObject({ state, word });
  });
});
