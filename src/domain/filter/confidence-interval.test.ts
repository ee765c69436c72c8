import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wilsonInterval, zeroHitsBound } from "./confidence-interval";

describe("a ratio's interval", () => {
  it("has the textbook's value for 10 of 100", () => {
    const { low, high } = wilsonInterval(10, 100);
    expect(low).toBeCloseTo(0.0552, 4);
    expect(high).toBeCloseTo(0.1744, 4);
  });

  it("is 0 to 1 without trials", () => {
    expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
  });

  it("contains the ratio, and narrows with more trials", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (n, p) => {
          const hits = Math.round(n * p);
          const { low, high } = wilsonInterval(hits, n);
          expect(low).toBeLessThanOrEqual(hits / n + 1e-12);
          expect(high).toBeGreaterThanOrEqual(hits / n - 1e-12);
          const wider = wilsonInterval(hits, n);
          const narrower = wilsonInterval(hits * 10, n * 10);
          expect(narrower.high - narrower.low).toBeLessThan(wider.high - wider.low);
        },
      ),
    );
  });
});

describe("the bound of the false-negative rate", () => {
  it.each([
    [2_996, 1e-3],
    [29_958, 1e-4],
    [299_574, 1e-5],
  ])("after %i lookups without a miss is %f", (trials, bound) => {
    expect(zeroHitsBound(trials)).toBeLessThanOrEqual(bound * 1.0005);
    expect(zeroHitsBound(trials - 20)).toBeGreaterThan(bound);
  });

  it("is 1 without lookups", () => {
    expect(zeroHitsBound(0)).toBe(1);
  });
});
