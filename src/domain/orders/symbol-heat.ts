import { FULL_UTILIZATION } from "./shard-load";
import { HOT_UTILIZATION, MERGE_UTILIZATION } from "./split-suggestion";

/** `cooling`: still split, though one shard could take it by now. `unknown`: nobody counted. */
export type SymbolState = "cold" | "warm" | "hot" | "cooling" | "unknown";

/** From here on a symbol is worth watching. */
const WARM_UTILIZATION = 0.1;

/** @param share what one shard would have to take if the symbol were not split, of its limit */
export function stateOf(utilization: number | null, factor: number): SymbolState {
  if (utilization === null) return "unknown";
  if (utilization > FULL_UTILIZATION) return "hot";
  if (factor > 1) return utilization < MERGE_UTILIZATION ? "cooling" : "hot";
  return utilization >= WARM_UTILIZATION ? "warm" : "cold";
}

type Pressed = {
  state: SymbolState;
  factor: number;
  recommended: number | null;
  shard: { utilization: number; throttledPerSecond: number } | null;
};

/** Hot alone is no alarm: hot, and its fullest shard refuses records or nearly does. */
export function needsSplit({ state, factor, recommended, shard }: Pressed): boolean {
  if (state !== "hot" || !shard) return false;
  if (shard.throttledPerSecond > 0) return true;
  return recommended !== null && factor < recommended && shard.utilization > HOT_UTILIZATION;
}
