import type { VersionState } from "../../../domain/filter/filter-version";
import type { Progress } from "./progress";

export type Amount = { done: number; total: number | undefined; unit: "rows" | "shards" };

const SHARDS = 256;
/** The first verification looks up a sample of at most so many rows. */
const SAMPLE_ROWS = 300_000;

/** What there is to count in the phase at hand; null where nothing is counted. */
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
