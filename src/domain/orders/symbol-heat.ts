import { FULL_SHARE } from "./shard-load";
import { COOL_SHARE, HOT_SHARE } from "./split-suggestion";

/** `cooling`: still split, though one shard could take it by now. `unknown`: nobody counted. */
export type SymbolState = "cold" | "warm" | "hot" | "cooling" | "unknown";

/** From here on a symbol is worth watching. */
const WARM_SHARE = 0.1;

/** @param share what one shard would have to take if the symbol were not split, of its limit */
export function stateOf(share: number | null, factor: number): SymbolState {
  if (share === null) return "unknown";
  if (share > FULL_SHARE) return "hot";
  if (factor > 1) return share < COOL_SHARE ? "cooling" : "hot";
  return share >= WARM_SHARE ? "warm" : "cold";
}

type Pressed = {
  state: SymbolState;
  factor: number;
  recommended: number | null;
  shard: { share: number; throttledPerSecond: number } | null;
};

/** Hot alone is no alarm: hot, and its fullest shard refuses records or nearly does. */
export function needsSplit({ state, factor, recommended, shard }: Pressed): boolean {
  if (state !== "hot" || !shard) return false;
  if (shard.throttledPerSecond > 0) return true;
  return recommended !== null && factor < recommended && shard.share > HOT_SHARE;
}
