/** z of a two-sided 95 % interval. */
const Z = 1.959964;

export type Interval = { low: number; high: number };

/** Wilson's score interval of a ratio at 95 %; valid for few hits and for no hits as well. */
export function wilsonInterval(hits: number, trials: number): Interval {
  if (trials === 0) return { low: 0, high: 1 };
  const ratio = hits / trials;
  const z2 = Z * Z;
  const centre = ratio + z2 / (2 * trials);
  const spread = Z * Math.sqrt((ratio * (1 - ratio)) / trials + z2 / (4 * trials * trials));
  const scale = 1 + z2 / trials;
  return { low: Math.max(0, (centre - spread) / scale), high: Math.min(1, (centre + spread) / scale) };
}

/**
 * Upper bound of the false-negative rate after `trials` lookups without a miss, at 95 %:
 * 1 - 0.05^(1/trials). 2,996 lookups: 1e-3; 29,958: 1e-4; 299,574: 1e-5.
 */
export function zeroHitsBound(trials: number): number {
  return trials === 0 ? 1 : 1 - 0.05 ** (1 / trials);
}
