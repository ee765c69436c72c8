import type { SymbolState } from "./symbol-heat";

export const SYMBOL_STATES = [
  "halted",
  "hot",
  "mergeable",
  "warm",
  "cold",
  "unknown",
] as const satisfies SymbolState[];
export const SYMBOL_SORTS = ["heat", "symbol", "rate", "shard", "factor", "until"] as const;
export type SymbolSort = (typeof SYMBOL_SORTS)[number];

/** Which rows of a symbol table are requested, and in which order; `search` is a part of the name. */
export type SymbolFilter = {
  search: string;
  state: SymbolState | null;
  sort: SymbolSort;
  order: "asc" | "desc";
};

type Row = {
  symbol: string;
  state: SymbolState;
  factor: number;
  mergedUtilization: number | null;
  flow: { offeredPerSecond: number } | null;
  shard: { utilization: number } | null;
  expiresAt: string | null;
};

/** Unknown values come last in both orders. */
const VALUES: Record<SymbolSort, (row: Row) => number | string | null> = {
  heat: row => row.mergedUtilization ?? row.flow?.offeredPerSecond ?? null,
  symbol: row => row.symbol,
  rate: row => row.flow?.offeredPerSecond ?? null,
  shard: row => row.shard?.utilization ?? null,
  factor: row => row.factor,
  until: row => row.expiresAt,
};

/** The requested rows in order. Ties are sorted by name, so that equal rows keep their places. */
export function pickSymbols<R extends Row>(
  rows: readonly R[],
  { search, state, sort, order }: SymbolFilter,
): R[] {
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
