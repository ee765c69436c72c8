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
    [{}, "caught up"],
    [{ behind: null }, "caught up"],
    [{ behind: 201 }, "lagging"],
    [{ behind: 5_000, ordersPerSecond: 6_000 }, "caught up"],
    [{ book: null }, "not running"],
    [{ book: null, problem: "a gap" }, "stopped"],
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

  it("sorts names from A on and figures from the highest on; unknown figures come last", () => {
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
