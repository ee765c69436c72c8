import { needsSplit } from "../../domain/orders/symbol-heat";
import { pickSymbols, type SymbolFilter } from "../../domain/orders/symbol-table";
import type { Suggestion } from "./read-suggestions";
import type { SymbolList, SymbolRow } from "./read-symbols";

/** One page of the table, and the symbol whose details are open. Pages count from 1. */
export type SymbolPageRequest = SymbolFilter & { page: number; pageSize: number; symbol: string | null };

type Proposal = { symbol: string; suggestion: Suggestion; isAutomatic: boolean };

const MAX_PROPOSALS = 5;
const MAX_DISMISSED = 20;
const MAX_SPLIT = 4;

/** The data of the console's page: the rows of one table page, and a summary of all symbols. */
export function symbolPage(list: SymbolList, { page, pageSize, symbol, ...filter }: SymbolPageRequest) {
  const { rows, ...rest } = list;
  const picked = pickSymbols(rows, filter);
  const hottestFirst = (a: SymbolRow, b: SymbolRow) =>
    (b.mergedUtilization ?? 0) - (a.mergedUtilization ?? 0);
  const proposals = proposalsOf(rows);
  const open = proposals.filter(({ suggestion }) => suggestion.dismissedUntil === null);
  const dismissed = proposals.filter(({ suggestion }) => suggestion.dismissedUntil !== null);
  return {
    ...rest,
    rows: picked.slice((page - 1) * pageSize, page * pageSize),
    total: picked.length,
    /** The symbol whose details are open, on any page; null if there is none of that name. */
    opened: rows.find(row => row.symbol === symbol) ?? null,
    offeredPerSecond: rows.reduce((sum, { flow }) => sum + (flow?.offeredPerSecond ?? 0), 0),
    /** The hottest symbol on a full shard. */
    urgent: rows.filter(needsSplit).sort(hottestFirst)[0] ?? null,
    /** Some of the split symbols, by name. */
    split: rows
      .filter(({ factor }) => factor > 1)
      .slice(0, MAX_SPLIT)
      .map(row => row.symbol),
    /** By name, as the rows are. */
    halted: rows.filter(({ halt }) => halt !== null).map(row => row.symbol),
    proposals: open.slice(0, MAX_PROPOSALS),
    moreProposals: Math.max(0, open.length - MAX_PROPOSALS),
    dismissed: dismissed.slice(0, MAX_DISMISSED),
  };
}

function proposalsOf(rows: readonly SymbolRow[]): Proposal[] {
  return rows
    .flatMap(({ symbol, suggestion, automatic }) =>
      suggestion ? [{ symbol, suggestion, isAutomatic: automatic.on }] : [],
    )
    .sort((a, b) => b.suggestion.utilization - a.suggestion.utilization || (a.symbol < b.symbol ? -1 : 1));
}
