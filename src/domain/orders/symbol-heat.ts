import { FULL_UTILIZATION } from "./shard-load";
import { HOT_UTILIZATION, MERGE_UTILIZATION } from "./split-suggestion";

/** `mergeable`: still split, though one shard could take it by now. `unknown`: not counted. */
export type SymbolState = "halted" | "cold" | "warm" | "hot" | "mergeable" | "unknown";

/** From this utilization on a symbol is worth watching. */
const WARM_UTILIZATION = 0.1;

/** @param utilization of one shard, if the symbol were not split */
export function stateOf(utilization: number | null, factor: number): SymbolState {
  if (utilization === null) return "unknown";
  if (utilization > FULL_UTILIZATION) return "hot";
  if (factor > 1) return utilization < MERGE_UTILIZATION ? "mergeable" : "hot";
  return utilization >= WARM_UTILIZATION ? "warm" : "cold";
}

type Candidate = {
  state: SymbolState;
  factor: number;
  recommended: number | null;
  shard: { utilization: number; throttledPerSecond: number } | null;
};

/** A hot symbol needs a split when its fullest shard refuses records, or is about to. */
export function needsSplit({ state, factor, recommended, shard }: Candidate): boolean {
  if (state !== "hot" || !shard) return false;
  if (shard.throttledPerSecond > 0) return true;
  return recommended !== null && factor < recommended && shard.utilization > HOT_UTILIZATION;
}
