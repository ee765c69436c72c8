import { describe, expect, it } from "vitest";
import type { ShardSeries } from "../contract";
import { stepOnHeatMap, toHeatMap } from "./heat-cells";

const series = (startMs: number, records: (number | null)[]): ShardSeries => ({
  stepMs: 1_000,
  at: records.map((_, n) => startMs + n * 1_000),
  limits: { recordsPerSecond: 100, bytesPerSecond: 0 },
  shards: [
    { shardId: "0", records, bytes: records.map(value => value && 10), throttled: records.map(() => 0) },
  ],
});

describe("the map of shards over time", () => {
  it("takes the highest value of each cell, and keeps unknown values unknown", () => {
    const { stepMs, at, rows } = toHeatMap(series(0, [10, 50, null, 20, null, null]), 3);
    expect([stepMs, at]).toEqual([2_000, [0, 2_000, 4_000]]);
    expect(rows[0]!.cells.map(({ utilization }) => utilization)).toEqual([0.5, 0.2, null]);
    expect(rows[0]!.cells.map(({ records }) => records)).toEqual([50, 20, null]);
  });

  it("keeps the edges of its cells as the window moves", () => {
    const early = toHeatMap(series(0, [1, 2, 3, 4, 5, 6]), 3);
    const later = toHeatMap(series(1_000, [2, 3, 4, 5, 6, 7]), 3);
    expect(early.at).toEqual([0, 2_000, 4_000]);
    expect(later.at).toEqual([2_000, 4_000, 6_000]);
  });

  it("has no cells without data", () => {
    expect(toHeatMap(series(0, [])).at).toEqual([]);
  });

  it.each([
    ["ArrowLeft", { row: 1, cell: 0 }],
    ["ArrowRight", { row: 1, cell: 2 }],
    ["ArrowUp", { row: 0, cell: 1 }],
    ["ArrowDown", { row: 1, cell: 1 }],
    ["Home", { row: 1, cell: 0 }],
    ["End", { row: 1, cell: 2 }],
    ["a", null],
  ] as const)("%s leads to %j", (key, place) => {
    expect(stepOnHeatMap(key, { row: 1, cell: 1 }, { rows: 2, cells: 3 })).toEqual(place);
  });
});
