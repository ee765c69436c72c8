import type { SymbolFilter, SymbolSort } from "../../../domain/orders/symbol-table";

const BY: Record<SymbolSort, string> = {
  heat: "heat",
  symbol: "name",
  rate: "order rate",
  shard: "shard utilization",
  factor: "split factor",
  until: "hot until",
};

/** "hot symbols with “DO” in their name, by order rate, highest first". */
export function describeView({ search, state, sort, order }: SymbolFilter): string {
  const which =
    state === null ? "all symbols" : state === "mergeable" ? "symbols that can merge" : `${state} symbols`;
  const named = search === "" ? "" : ` with “${search}” in their name`;
  return `${which}${named}, by ${BY[sort]}, ${order === "desc" ? "highest" : "lowest"} first`;
}
