import type { SymbolState } from "../contract";
import type { Sort } from "./pick-symbols";

type View = { search: string; state: SymbolState | null; sort: Sort; order: "asc" | "desc" };

const BY: Record<Sort, string> = {
  heat: "heat",
  symbol: "name",
  rate: "orders",
  shard: "share of the shard's limit",
  factor: "split",
  until: "hot until",
};

/** "Hot symbols with “DO” in their name, by orders, highest first". */
export function describeView({ search, state, sort, order }: View): string {
  const which = state === null ? "all symbols" : `${state} symbols`;
  const named = search === "" ? "" : ` with “${search}” in their name`;
  return `${which}${named}, by ${BY[sort]}, ${order === "desc" ? "highest" : "lowest"} first`;
}
