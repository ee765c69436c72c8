import { AUTOMATIC_MODE, type SplitPlan } from "./split-plan";
import { HOT_UTILIZATION, kindOf, pressureOf, type SymbolReading, type Watch } from "./split-suggestion";

/** Within what a symbol may be split, and cooled down again, without a trader. */
export type AutomaticBounds = {
  maxFactor: number;
  /** How long it must have been hot, without falling to where the suggestion ends. */
  minHotSeconds: number;
  /** Changes by itself within an hour; the last one is for a split. */
  maxChangesPerHour: number;
};

/** Ranges that a trader may choose from. */
export const AUTOMATIC_RANGES = {
  maxFactor: { min: 2, max: 500 },
  minHotSeconds: { min: 5, max: 600 },
  maxChangesPerHour: { min: 1, max: 60 },
} as const;

export type AutomaticQuestion = {
  watch: Watch | null;
  reading: SymbolReading;
  plan: SplitPlan | undefined;
  bounds: AutomaticBounds;
  shards: number;
  /** How often automatic mode has changed the symbol in the last hour. */
  changesLastHour: number;
  nowMs: number;
};

/** `factor`: split by it now. `held`: why what is proposed is not done. Null: nothing is proposed. */
export type AutomaticAnswer = { factor: number } | { held: string } | null;

/**
 * What automatic mode does about a suggestion. It leaves alone what a trader has split, and to cool a symbol
 * down never takes an hour's last change: with one change an hour it only splits. Pure.
 */
export function automaticAnswer(question: AutomaticQuestion): AutomaticAnswer {
  const { watch, reading, plan, bounds, shards, changesLastHour, nowMs } = question;
  const kind = kindOf(watch);
  if (!watch || !kind) return null;
  if (reading.factor > 1 && plan?.setBy !== AUTOMATIC_MODE)
    return { held: "a trader has split it, and decides about it" };
  if (changesLastHour >= bounds.maxChangesPerHour)
    return { held: `${changesLastHour} of ${bounds.maxChangesPerHour} changes in the last hour are used up` };
  if (kind === "unsplit") {
    // A split that stays on costs little; a burst that nobody may split costs orders.
    if (changesLastHour >= bounds.maxChangesPerHour - 1) return { held: keptForSplit(bounds) };
    return reading.recommended === 1 ? { factor: 1 } : { held: "one shard would be too full again" };
  }
  const waitSeconds = Math.ceil(bounds.minHotSeconds - (nowMs - watch.sinceMs) / 1_000);
  if (waitSeconds > 0) return { held: `it has to be hot for ${waitSeconds} s more` };
  if ((pressureOf(reading) ?? 0) < HOT_UTILIZATION) return { held: "it is less hot this second" };
  const factor = Math.min(watch.proposed, bounds.maxFactor, shards);
  if (factor <= reading.factor) return { held: `its bound is a split by ${bounds.maxFactor}` };
  return { factor };
}

const keptForSplit = ({ maxChangesPerHour }: AutomaticBounds) =>
  maxChangesPerHour === 1
    ? "its one change an hour is kept for a split, and a trader cools it down"
    : `the last of ${maxChangesPerHour} changes an hour is kept for a split`;
