import { FULL_UTILIZATION } from "../../../domain/orders/shard-load";
import { needsSplit } from "../../../domain/orders/symbol-heat";
import type { SymbolRow, SymbolState } from "../contract";
import type { State } from "../parts/state-badge";

export const STATE_WORDS: Record<SymbolState, string> = {
  halted: "halted",
  cold: "cold",
  warm: "warm",
  hot: "hot",
  mergeable: "can merge",
  unknown: "unknown",
};

const TITLES: Record<SymbolState, string> = {
  halted: "New orders are refused.",
  cold: "Needs less than 10 % of one shard.",
  warm: "Needs 10 to 70 % of one shard.",
  hot: "Needs more than 70 % of one shard.",
  mergeable: "Split, but one shard has room for it again.",
  unknown: "No server reported in the last seconds.",
};

/** The badge of a symbol. A hot symbol is ok only when its split leaves room on each of its shards. */
export function symbolStateOf(row: SymbolRow): { state: State; word: string; title: string } {
  const { state, factor, shard, halt } = row;
  const title = TITLES[state];
  if (halt) return { state: "warning", word: "halted", title: `${title} ${halt.reason}` };
  if (state === "unknown") return { state: "unknown", word: "unknown", title };
  if (state !== "hot") return { state: "ok", word: STATE_WORDS[state], title };
  if (needsSplit(row))
    return { state: "critical", word: "hot, overloaded", title: "Its fullest shard needs a larger split." };
  const hasRoom = shard !== null && shard.utilization <= FULL_UTILIZATION && shard.throttledPerSecond === 0;
  return factor > 1 && hasRoom
    ? { state: "ok", word: "hot, split", title: "Its split leaves room on each of its shards." }
    : { state: "warning", word: "hot", title };
}
