import type { VersionState } from "../../../domain/filter/filter-version";
import type { Progress } from "./progress";

export type Amount = { done: number; total: number | undefined; unit: "rows" | "shards" };

const SHARDS = 256;
/** Rows in the sample of the first verification, at most. */
const SAMPLE_ROWS = 300_000;

/** The progress of the current phase; null for a phase without counts. */
export function amountOf(state: VersionState, progress: Progress): Amount | null {
  const { phase, rows, estimatedRows, shardsLoaded, namesInserted, checked } = progress;
  if (state === "verifying") {
    const total = rows === undefined ? undefined : Math.min(rows, SAMPLE_ROWS);
    return checked === undefined ? null : { done: checked, total, unit: "rows" };
  }
  if (state !== "building") return null;
  if (phase === "loading" && shardsLoaded !== undefined)
    return { done: shardsLoaded, total: SHARDS, unit: "shards" };
  if (phase === "inserting" && namesInserted !== undefined)
    return { done: namesInserted, total: rows, unit: "rows" };
  if (phase === "reading" && rows !== undefined) return { done: rows, total: estimatedRows, unit: "rows" };
  return null;
}
