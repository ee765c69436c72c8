import { wilsonInterval } from "./confidence-interval";

/** Counts of the gate's lookups in an interval. */
export type GateTotals = {
  absent: number;
  maybe: number;
  unavailable: number;
  falsePositives: number;
  falseNegatives: number;
};

export type BakeInput = {
  errorRate: number;
  /** Totals of the minutes before the switch; null when they could not be read. */
  baseline: GateTotals | null;
  /** Totals since the switch; null when they could not be read. */
  since: GateTotals | null;
  /** Names of the version's broken shards. */
  brokenShards: readonly string[];
  /** Names of the database that were looked up since the switch, and how many of them were missing. */
  rows: { checked: number; missing: number };
};

export const BAKE_LIMITS = {
  /** Fewer lookups than this are no basis for a rate. */
  lookups: 200,
  /** Allowed rise of the unavailable ratio against the baseline. */
  moreUnavailable: 0.05,
  /** Limit of the false-positive rate, as a factor of the configured rate or the baseline. */
  falsePositiveFactor: 2,
};

/** Why a version must be rolled back during its bake; null when every check passes. */
export function bakeTrigger({ errorRate, baseline, since, brokenShards, rows }: BakeInput): string | null {
  if (brokenShards.length > 0) {
    const some = brokenShards.slice(0, 8).join(", ");
    return `${brokenShards.length} of 256 shards are broken (${some})`;
  }
  if (rows.missing > 0) {
    return `${rows.missing} of ${rows.checked.toLocaleString("en-US")} names of the database are missing`;
  }
  if (!since) return null;
  if (since.falseNegatives > 0) {
    return `${since.falseNegatives} sign-ups found a false negative`;
  }
  const lookups = since.absent + since.maybe + since.unavailable;
  if (lookups < BAKE_LIMITS.lookups) return null;
  const unavailable = since.unavailable / lookups;
  const before = baseline ? ratioOf(baseline.unavailable, baseline) : 0;
  if (unavailable > before + BAKE_LIMITS.moreUnavailable) {
    return `the filter was unavailable for ${percent(unavailable)} of the lookups (${percent(before)} before)`;
  }
  const absentNames = since.falsePositives + since.absent;
  const usual = baseline
    ? baseline.falsePositives / Math.max(1, baseline.falsePositives + baseline.absent)
    : 0;
  const limit = BAKE_LIMITS.falsePositiveFactor * Math.max(errorRate, usual);
  if (wilsonInterval(since.falsePositives, absentNames).low > limit) {
    const rate = since.falsePositives / absentNames;
    return `${percent(rate)} of the absent names were false positives (limit: ${percent(limit)})`;
  }
  return null;
}

function ratioOf(part: number, { absent, maybe, unavailable }: GateTotals): number {
  return part / Math.max(1, absent + maybe + unavailable);
}

function percent(ratio: number): string {
  return `${(ratio * 100).toFixed(1)} %`;
}
