import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bucketOf, LAST_BUCKET, middleMs, percentileMs, RELATIVE_ERROR, upperMs } from "./latency-buckets";

const duration = fc.double({ min: 1, max: 2 ** 16, noNaN: true });
const histogramOf = (values: number[]) => {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(bucketOf(value), (counts.get(bucketOf(value)) ?? 0) + 1);
  return counts;
};

describe("buckets", () => {
  it("contain the values between their bounds, whole doublings exactly", () => {
    fc.assert(
      fc.property(duration, ms => {
        const bucket = bucketOf(ms);
        expect(ms).toBeLessThanOrEqual(upperMs(bucket) * (1 + 1e-12));
        if (bucket > 0) expect(ms).toBeGreaterThan(upperMs(bucket - 1) * (1 - 1e-12));
      }),
    );
    for (let power = 0; power <= 16; power += 1) expect(upperMs(bucketOf(2 ** power))).toBe(2 ** power);
  });

  it("take any number", () => {
    for (const ms of [0, -1, Number.NaN, 0.3, 1]) expect(bucketOf(ms)).toBe(0);
    for (const ms of [1e9, Number.POSITIVE_INFINITY]) expect(bucketOf(ms)).toBe(LAST_BUCKET);
  });

  it("have a middle within 2.2 % of each value", () => {
    expect(RELATIVE_ERROR).toBeLessThan(0.022);
    fc.assert(
      fc.property(duration, ms => {
        expect(Math.abs(middleMs(bucketOf(ms)) - ms) / ms).toBeLessThanOrEqual(RELATIVE_ERROR + 1e-9);
      }),
    );
  });
});

describe("percentiles", () => {
  it("are those of all values within the relative error, also when histograms were merged", () => {
    fc.assert(
      fc.property(
        fc.array(duration, { minLength: 1, maxLength: 200 }),
        fc.array(duration, { maxLength: 200 }),
        fc.constantFrom(0.5, 0.95, 0.99),
        (some, others, quantile) => {
          const merged = histogramOf(some);
          for (const [bucket, count] of histogramOf(others))
            merged.set(bucket, (merged.get(bucket) ?? 0) + count);
          const sorted = [...some, ...others].sort((a, b) => a - b);
          const exact = sorted[Math.max(1, Math.ceil(quantile * sorted.length)) - 1]!;
          const measured = percentileMs(merged, quantile)!;
          expect(Math.abs(measured - exact) / exact).toBeLessThanOrEqual(RELATIVE_ERROR + 1e-9);
        },
      ),
    );
  });

  it("of nothing are unknown", () => {
    expect(percentileMs(new Map(), 0.95)).toBeNull();
  });
});
