import { describe, expect, it } from "vitest";
import type { EngineRow } from "../contract";
import { engineStateOf, unitsText } from "./engine-state";
import { pickEngines } from "./pick-engines";

const row = (change: Partial<EngineRow>) =>
  ({
    symbol: "DOGE",
    book: {},
    problem: null,
    behind: 0,
    ordersPerSecond: 0,
    violations: 0,
    ...change,
  }) as EngineRow;

describe("an engine's state", () => {
  it.each([
    [{}, "in step"],
    [{ behind: null }, "in step"],
    [{ behind: 201 }, "behind"],
    [{ behind: 5_000, ordersPerSecond: 6_000 }, "in step"],
    [{ book: null }, "no engine"],
    [{ book: null, problem: "a gap" }, "stands still"],
    [{ book: null, violations: 1 }, "out of order"],
  ] as const)("%j is %s", (change, word) => {
    expect(engineStateOf(row(change)).word).toBe(word);
  });
});

describe("whole units", () => {
  it.each([
    [7_000, 5, "0.07000"],
    [123_456, 2, "1234.56"],
    [5, 0, "5"],
    [0, 3, "0.000"],
  ])("%d with %d decimals reads %s", (units, decimals, text) => {
    expect(unitsText(units, decimals)).toBe(text);
  });
});

describe("picking engines", () => {
  const rows = [
    row({ symbol: "BTC", behind: 3, rejects: 1 }),
    row({ symbol: "ADA", behind: null, rejects: 9 }),
    row({ symbol: "DOGE", behind: 7, rejects: 1 }),
  ];
  const names = (pick: Partial<Parameters<typeof pickEngines>[1]>) =>
    pickEngines(rows, { search: "", sort: "symbol", order: "desc", ...pick }).map(one => one.symbol);

  it("goes by name from A on, and by figures from the highest on; what is not known comes last", () => {
    expect(names({})).toEqual(["ADA", "BTC", "DOGE"]);
    expect(names({ order: "asc" })).toEqual(["DOGE", "BTC", "ADA"]);
    expect(names({ sort: "behind" })).toEqual(["DOGE", "BTC", "ADA"]);
    expect(names({ sort: "behind", order: "asc" })).toEqual(["BTC", "DOGE", "ADA"]);
    expect(names({ sort: "rejects" })).toEqual(["ADA", "BTC", "DOGE"]);
  });

  it("finds by part of the name", () => {
    expect(names({ search: "o" })).toEqual(["DOGE"]);
  });
});
