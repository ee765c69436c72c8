import type { SymbolFilter, SymbolSort } from "../../../domain/orders/symbol-table";

const BY: Record<SymbolSort, string> = {
  heat: "heat",
  symbol: "name",
  rate: "orders",
  shard: "utilization of the shard",
  factor: "split",
  until: "hot until",
};

/** "Hot symbols with “DO” in their name, by orders, highest first". */
export function describeView({ search, state, sort, order }: SymbolFilter): string {
  const which = state === null ? "all symbols" : `${state} symbols`;
  const named = search === "" ? "" : ` with “${search}” in their name`;
  return `${which}${named}, by ${BY[sort]}, ${order === "desc" ? "highest" : "lowest"} first`;
}
