import { AUTOMATIC_RANGES } from "../../../domain/orders/automatic-split";
import type { AutomaticInput, SymbolRow } from "../contract";

export type AutomaticDraft = {
  on: boolean;
  maxFactor: string;
  minHotSeconds: string;
  maxChangesPerHour: string;
};
export type Bound = Exclude<keyof AutomaticDraft, "on">;

/** The field, its unit, and what may be typed; no more shards than there are. */
export function boundsFor(shardCount: number) {
  const { maxFactor, minHotSeconds, maxChangesPerHour } = AUTOMATIC_RANGES;
  const most = Math.max(maxFactor.min, Math.min(maxFactor.max, shardCount));
  return [
    { bound: "maxFactor", label: "Split by at most", unit: "shards", min: maxFactor.min, max: most },
    { bound: "minHotSeconds", label: "Once it is hot for", unit: "s", ...minHotSeconds },
    { bound: "maxChangesPerHour", label: "At most", unit: "changes an hour", ...maxChangesPerHour },
  ] as const;
}

export const draftFrom = ({ automatic }: SymbolRow): AutomaticDraft => ({
  on: automatic.on,
  maxFactor: String(automatic.maxFactor),
  minHotSeconds: String(automatic.minHotSeconds),
  maxChangesPerHour: String(automatic.maxChangesPerHour),
});

/** Why a bound can't be had, in words. */
export function boundProblem(text: string, { min, max }: { min: number; max: number }): string | undefined {
  const value = Number(text);
  if (/^\s*\d{1,4}\s*$/.test(text) && value >= min && value <= max) return undefined;
  return `Type a whole number from ${min} to ${max}.`;
}

export function automaticInput(draft: AutomaticDraft, row: SymbolRow, reason: string): AutomaticInput {
  const { maxFactor, minHotSeconds, maxChangesPerHour } = row.automatic;
  // What is switched off keeps its bounds, whatever was typed.
  const typed = draft.on
    ? {
        maxFactor: Number(draft.maxFactor),
        minHotSeconds: Number(draft.minHotSeconds),
        maxChangesPerHour: Number(draft.maxChangesPerHour),
      }
    : { maxFactor, minHotSeconds, maxChangesPerHour };
  const { symbol, automatic } = row;
  return { symbol, on: draft.on, ...typed, expectedVersion: automatic.version, reason: reason.trim() };
}
