/**
 * Log-scale buckets of a histogram, the same in every process and rollup, so that histograms add up
 * bucket by bucket. Sixteen to a doubling: bucket i holds (2^((i-1)/16), 2^(i/16)] milliseconds.
 */
const PER_DOUBLING = 16;

/** Up to 2^16 ms, a little over a minute; longer times are counted in the last bucket. */
export const LAST_BUCKET = 16 * PER_DOUBLING;

/** Of a value between 1 ms and 2^16 ms, when the middle of its bucket stands for it. */
export const RELATIVE_ERROR = (2 ** (1 / PER_DOUBLING) - 1) / (2 ** (1 / PER_DOUBLING) + 1);

export function bucketOf(ms: number): number {
  if (!(ms > 1)) return 0;
  return Math.min(LAST_BUCKET, Math.ceil(Math.log2(ms) * PER_DOUBLING));
}

/** The largest value that the bucket holds, milliseconds. */
export function upperMs(bucket: number): number {
  return 2 ** (bucket / PER_DOUBLING);
}

/** The value whose relative distance to both ends of the bucket is the same, milliseconds. */
export function middleMs(bucket: number): number {
  return bucket === 0 ? 1 : upperMs(bucket) * (1 - RELATIVE_ERROR);
}

/**
 * The least value that `quantile` of all values do not exceed, within RELATIVE_ERROR.
 * @param counts bucket -> how many values, summed over the merged histograms
 * @returns milliseconds; null when there are no values
 */
export function percentileMs(counts: ReadonlyMap<number, number>, quantile: number): number | null {
  let total = 0;
  for (const count of counts.values()) total += count;
  if (total <= 0) return null;
  const rank = Math.max(1, Math.ceil(quantile * total));
  let seen = 0;
  for (const bucket of [...counts.keys()].sort((a, b) => a - b)) {
    seen += counts.get(bucket)!;
    if (seen >= rank) return middleMs(bucket);
  }
  return null;
}
