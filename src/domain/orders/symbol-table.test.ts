import { describe, expect, it } from "vitest";
import { pickSymbols } from "./symbol-table";

const row = (symbol: string, mergedUtilization: number | null) => ({
  symbol,
  mergedUtilization,
  flow: null,
  shard: null,
  factor: 1,
  expiresAt: null,
  state: mergedUtilization === null ? ("unknown" as const) : ("cold" as const),
});
const rows = [row("BTC", 0), row("ADA", 0), row("DOGE", 0.9), row("XRP", null)];
const names = (pick: Partial<Parameters<typeof pickSymbols>[1]>) =>
  pickSymbols(rows, { search: "", state: null, sort: "heat", order: "desc", ...pick }).map(one => one.symbol);

describe("picking symbols", () => {
  it("sorts the hottest first, equal ones by name, and unknown ones last in both directions", () => {
    expect(names({})).toEqual(["DOGE", "ADA", "BTC", "XRP"]);
    expect(names({ order: "asc" })).toEqual(["ADA", "BTC", "DOGE", "XRP"]);
  });

  it("finds by part of the name and by state", () => {
    expect(names({ search: " o" })).toEqual(["DOGE"]);
    expect(names({ state: "unknown" })).toEqual(["XRP"]);
  });
});
