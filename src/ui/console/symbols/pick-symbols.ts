import type { SymbolRow, SymbolState } from "../contract";

export const SORTS = ["heat", "symbol", "rate", "shard", "factor", "until"] as const;
export type Sort = (typeof SORTS)[number];

type Pick = { search: string; state: SymbolState | null; sort: Sort; order: "asc" | "desc" };

/** What is not known comes last, whichever way the rest is sorted. */
const VALUES: Record<Sort, (row: SymbolRow) => number | string | null> = {
  heat: row => row.unsplitShare ?? row.flow?.offeredPerSecond ?? null,
  symbol: row => row.symbol,
  rate: row => row.flow?.offeredPerSecond ?? null,
  shard: row => row.shard?.share ?? null,
  factor: row => row.factor,
  until: row => row.expiresAt,
};

/** The rows that the address asks for; ties by name, so that equal rows do not dance. */
export function pickSymbols(rows: readonly SymbolRow[], { search, state, sort, order }: Pick): SymbolRow[] {
  const wanted = search.trim().toUpperCase();
  const value = VALUES[sort];
  const sign = order === "asc" ? 1 : -1;
  return rows
    .filter(row => row.symbol.includes(wanted) && (state === null || row.state === state))
    .sort((a, b) => {
      const [left, right] = [value(a), value(b)];
      if (left === right) return a.symbol < b.symbol ? -1 : 1;
      if (left === null || right === null) return left === null ? 1 : -1;
      return left < right ? -sign : sign;
    });
}
