/**
 * The nearest-rank percentile: the least value that `quantile` of all values do not exceed; NaN without values.
 * @param quantile 0 to 1, such as 0.95
 */
export function percentile(values: ArrayLike<number>, quantile: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(quantile * sorted.length) - 1)] ?? Number.NaN;
}
