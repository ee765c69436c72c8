import { describe, expect, it } from "vitest";
import type { SymbolList, SymbolRow } from "./read-symbols";
import { symbolPage } from "./symbol-page";

const row = (n: number, change: Partial<SymbolRow> = {}) =>
  ({
    symbol: `S${String(n).padStart(3, "0")}`,
    factor: 1,
    mergedUtilization: n / 1_000,
    state: "cold",
    flow: { offeredPerSecond: 2 },
    shard: null,
    expiresAt: null,
    recommended: 1,
    suggestion: null,
    automatic: { on: false },
    ...change,
  }) as SymbolRow;
const suggestion = (utilization: number, dismissedUntil: string | null = null) =>
  ({ kind: "split", factor: 2, utilization, dismissedUntil }) as SymbolRow["suggestion"];
const list = (rows: SymbolRow[]) => ({ rows, shards: [], watchedAt: null }) as unknown as SymbolList;
const all = {
  search: "",
  state: null,
  sort: "heat",
  order: "desc",
  page: 1,
  pageSize: 25,
  symbol: null,
} as const;
const hundred = Array.from({ length: 100 }, (_, n) => row(n));

describe("a leaf of the table of symbols", () => {
  it("holds its rows only, and counts all that match", () => {
    const { rows, total, offeredPerSecond } = symbolPage(list(hundred), { ...all, page: 4, pageSize: 30 });
    expect(rows.map(({ symbol }) => symbol)).toEqual(
      hundred
        .slice(0, 10)
        .map(one => one.symbol)
        .reverse(),
    );
    expect([total, offeredPerSecond]).toEqual([100, 200]);
    expect(symbolPage(list(hundred), { ...all, search: "s09" })).toMatchObject({ total: 10 });
    expect(symbolPage(list(hundred), { ...all, page: 9 }).rows).toEqual([]);
  });

  it("brings the symbol whose details are open, wherever it stands", () => {
    expect(symbolPage(list(hundred), { ...all, symbol: "S000" }).opened?.symbol).toBe("S000");
    expect(symbolPage(list(hundred), { ...all, symbol: "NONE" }).opened).toBeNull();
  });

  it("lists symbols of other pages too: the most urgent, some that are split, proposed ones", () => {
    const hot = { state: "hot", shard: { shardId: "0", utilization: 0.99, throttledPerSecond: 3 } } as const;
    const rows = [
      ...Array.from({ length: 7 }, (_, n) => row(n, { suggestion: suggestion(n), factor: 2 })),
      row(7, { ...hot, mergedUtilization: 1.2 }),
      row(8, { ...hot, mergedUtilization: 3 }),
      row(9, { suggestion: suggestion(9, "2026-01-01T00:00:00Z") }),
    ];
    const page = symbolPage(list(rows), { ...all, pageSize: 1, search: "S009" });
    expect(page.urgent?.symbol).toBe("S008");
    expect(page.split).toEqual(["S000", "S001", "S002", "S003"]);
    expect(page.proposals.map(({ symbol }) => symbol)).toEqual(["S006", "S005", "S004", "S003", "S002"]);
    expect(page.moreProposals).toBe(2);
    expect(page.dismissed.map(({ symbol }) => symbol)).toEqual(["S009"]);
  });
});
