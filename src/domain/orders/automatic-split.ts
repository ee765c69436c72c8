import { AUTOMATIC_MODE, type SplitPlan } from "./split-plan";
import { HOT_UTILIZATION, kindOf, pressureOf, type SymbolReading, type Watch } from "./split-suggestion";

/** The bounds within which automatic mode may split and merge a symbol. */
export type AutomaticBounds = {
  maxFactor: number;
  /** How long the symbol must have been hot before it is split. */
  minHotSeconds: number;
  /** Automatic changes within an hour. The last one is reserved for a split. */
  maxChangesPerHour: number;
};

/** The ranges that a trader may choose from. */
export const AUTOMATIC_RANGES = {
  maxFactor: { min: 2, max: 500 },
  minHotSeconds: { min: 5, max: 600 },
  maxChangesPerHour: { min: 1, max: 60 },
} as const;

export type AutomaticInput = {
  watch: Watch | null;
  reading: SymbolReading;
  plan: SplitPlan | undefined;
  bounds: AutomaticBounds;
  shards: number;
  /** Automatic changes of the symbol in the last hour. */
  changesLastHour: number;
  nowMs: number;
};

/** `factor`: split by it now. `waitingFor`: why the proposal has to wait. Null: nothing is proposed. */
export type AutomaticDecision = { factor: number } | { waitingFor: string } | null;

/**
 * What automatic mode does about a suggestion. It never changes a trader's split. A merge never uses the
 * last change of an hour, so with one change an hour it only splits. Pure.
 */
export function decideAutomatically(input: AutomaticInput): AutomaticDecision {
  const { watch, reading, plan, bounds, shards, changesLastHour, nowMs } = input;
  const kind = kindOf(watch);
  if (!watch || !kind) return null;
  if (reading.factor > 1 && plan?.setBy !== AUTOMATIC_MODE)
    return { waitingFor: "a trader has split it, and decides about the merge" };
  if (changesLastHour >= bounds.maxChangesPerHour)
    return {
      waitingFor: `${changesLastHour} of ${bounds.maxChangesPerHour} changes in the last hour are used up`,
    };
  if (kind === "merge") {
    // A split that stays costs little. A burst that may not be split costs orders.
    if (changesLastHour >= bounds.maxChangesPerHour - 1) return { waitingFor: reservedForSplit(bounds) };
    return reading.recommended === 1
      ? { factor: 1 }
      : { waitingFor: "one shard would be too full after the merge" };
  }
  const waitSeconds = Math.ceil(bounds.minHotSeconds - (nowMs - watch.sinceMs) / 1_000);
  if (waitSeconds > 0) return { waitingFor: `it must stay hot for ${waitSeconds} s more` };
  if ((pressureOf(reading) ?? 0) < HOT_UTILIZATION) return { waitingFor: "it is not hot at this moment" };
  const factor = Math.min(watch.proposed, bounds.maxFactor, shards);
  if (factor <= reading.factor) return { waitingFor: `the largest factor allowed is ${bounds.maxFactor}` };
  return { factor };
}

const reservedForSplit = ({ maxChangesPerHour }: AutomaticBounds) =>
  maxChangesPerHour === 1
    ? "its one change an hour is reserved for a split; a trader can merge it"
    : `the last of ${maxChangesPerHour} changes an hour is reserved for a split`;
