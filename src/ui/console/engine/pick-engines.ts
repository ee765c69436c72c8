import type { EngineRow } from "../contract";

export const SORTS = ["symbol", "rate", "behind", "trades", "rejects"] as const;
export type Sort = (typeof SORTS)[number];

type Pick = { search: string; sort: Sort; order: "asc" | "desc" };

const VALUES: Record<Exclude<Sort, "symbol">, (row: EngineRow) => number | null> = {
  rate: row => row.ordersPerSecond,
  behind: row => row.behind,
  trades: row => row.trades,
  rejects: row => row.rejects,
};

/** The rows that the address asks for: names from A on, figures from the highest on, equal ones by name. */
export function pickEngines(rows: readonly EngineRow[], { search, sort, order }: Pick): EngineRow[] {
  const wanted = search.trim().toUpperCase();
  const sign = order === "desc" ? 1 : -1;
  const byName = (a: EngineRow, b: EngineRow) => (a.symbol < b.symbol ? -1 : 1);
  return rows
    .filter(({ symbol }) => symbol.includes(wanted))
    .sort((a, b) => {
      if (sort === "symbol") return sign * byName(a, b);
      const [left, right] = [VALUES[sort](a), VALUES[sort](b)];
      if (left === right) return byName(a, b);
      if (left === null || right === null) return left === null ? 1 : -1;
      return sign * (right - left);
    });
}
