import { AUTOMATIC_RANGES } from "../../../domain/orders/automatic-split";
import type { AutomaticInput, SymbolRow } from "../contract";

export type AutomaticDraft = {
  on: boolean;
  maxFactor: string;
  minHotSeconds: string;
  maxChangesPerHour: string;
};
export type Bound = Exclude<keyof AutomaticDraft, "on">;

/** Each field with its unit and its range; the factor is at most the number of shards. */
export function boundsFor(shardCount: number) {
  const { maxFactor, minHotSeconds, maxChangesPerHour } = AUTOMATIC_RANGES;
  const most = Math.max(maxFactor.min, Math.min(maxFactor.max, shardCount));
  return [
    { bound: "maxFactor", label: "Maximum split", unit: "shards", min: maxFactor.min, max: most },
    { bound: "minHotSeconds", label: "Minimum hot time", unit: "s", ...minHotSeconds },
    { bound: "maxChangesPerHour", label: "Maximum rate", unit: "changes an hour", ...maxChangesPerHour },
  ] as const;
}

export const draftFrom = ({ automatic }: SymbolRow): AutomaticDraft => ({
  on: automatic.on,
  maxFactor: String(automatic.maxFactor),
  minHotSeconds: String(automatic.minHotSeconds),
  maxChangesPerHour: String(automatic.maxChangesPerHour),
});

/** The problem of a typed bound. */
export function boundProblem(text: string, { min, max }: { min: number; max: number }): string | undefined {
  const value = Number(text);
  if (/^\s*\d{1,4}\s*$/.test(text) && value >= min && value <= max) return undefined;
  return `Type a whole number from ${min} to ${max}.`;
}

export function automaticInput(draft: AutomaticDraft, row: SymbolRow, reason: string): AutomaticInput {
  const { maxFactor, minHotSeconds, maxChangesPerHour } = row.automatic;
  // Turning the mode off keeps its bounds: what was typed does not count.
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
