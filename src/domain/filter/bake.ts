import { wilsonInterval } from "./confidence-interval";

/** What the gate counted in some time. */
export type GateTotals = {
  absent: number;
  maybe: number;
  unavailable: number;
  falsePositives: number;
  falseNegatives: number;
};

export type BakeInput = {
  errorRate: number;
  /** Of the minutes before the switch; null when they could not be read. */
  baseline: GateTotals | null;
  /** Since the switch; null when it cannot be read. */
  since: GateTotals | null;
  /** Shards of the version that do not prove themselves, by name. */
  brokenShards: readonly string[];
  /** Names of the database that were looked up since the switch, and those that were missing. */
  rows: { checked: number; missing: number };
};

export const BAKE_LIMITS = {
  /** Fewer look-ups than this say nothing about a rate. */
  lookups: 200,
  /** How much more often than before the filter may give no proof. */
  moreUnavailable: 0.05,
  /** How many times the configured false-positive rate, or the one before. */
  falsePositiveFactor: 2,
};

/**
 * What is wrong with a version that was promoted a moment ago, in words; null while nothing is.
 * Anything said here means: back to the previous version.
 */
export function bakeTrigger({ errorRate, baseline, since, brokenShards, rows }: BakeInput): string | null {
  if (brokenShards.length > 0) {
    const some = brokenShards.slice(0, 8).join(", ");
    return `${brokenShards.length} of 256 shards do not prove themselves (${some})`;
  }
  if (rows.missing > 0) {
    return `${rows.missing} of ${rows.checked.toLocaleString("en-US")} names of the database are missing`;
  }
  if (!since) return null;
  if (since.falseNegatives > 0) {
    return `${since.falseNegatives} signups met a name that the filter had called absent`;
  }
  const lookups = since.absent + since.maybe + since.unavailable;
  if (lookups < BAKE_LIMITS.lookups) return null;
  const unavailable = since.unavailable / lookups;
  const before = baseline ? utilizationOf(baseline.unavailable, baseline) : 0;
  if (unavailable > before + BAKE_LIMITS.moreUnavailable) {
    return `the filter gave no proof for ${percent(unavailable)} of the look-ups (${percent(before)} before)`;
  }
  const absentNames = since.falsePositives + since.absent;
  const usual = baseline
    ? baseline.falsePositives / Math.max(1, baseline.falsePositives + baseline.absent)
    : 0;
  const limit = BAKE_LIMITS.falsePositiveFactor * Math.max(errorRate, usual);
  if (wilsonInterval(since.falsePositives, absentNames).low > limit) {
    const rate = since.falsePositives / absentNames;
    return `${percent(rate)} of the absent names were false positives (at most ${percent(limit)} expected)`;
  }
  return null;
}

function utilizationOf(part: number, { absent, maybe, unavailable }: GateTotals): number {
  return part / Math.max(1, absent + maybe + unavailable);
}

function percent(ratio: number): string {
  return `${(ratio * 100).toFixed(1)} %`;
}
