import { FULL_SHARE } from "./shard-load";

/** `cooling`: still split, though one shard could take it by now. `unknown`: nobody counted. */
export type SymbolState = "cold" | "warm" | "hot" | "cooling" | "unknown";

/** From here on a symbol is worth watching. */
const WARM_SHARE = 0.1;
/** Well below full, so that a symbol does not swing between hot and cooling. */
const COOL_SHARE = 0.5;

/** @param share what one shard would have to take if the symbol were not split, of its limit */
export function stateOf(share: number | null, factor: number): SymbolState {
  if (share === null) return "unknown";
  if (share > FULL_SHARE) return "hot";
  if (factor > 1) return share < COOL_SHARE ? "cooling" : "hot";
  return share >= WARM_SHARE ? "warm" : "cold";
}

/** Past the recommended share, so that a symbol that was just split does not call again at once. */
const ALARM_SHARE = 0.85;

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
  return recommended !== null && factor < recommended && shard.share > ALARM_SHARE;
}
