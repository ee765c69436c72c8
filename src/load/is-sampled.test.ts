import fc from "fast-check";
import { expect, it } from "vitest";
import { isSampled } from "./is-sampled";

it("samples the ratio of any range of items, within one", () => {
  const anyRatio = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(anyRatio, fc.nat(1_000_000), fc.integer({ min: 1, max: 2_000 }), (ratio, start, length) => {
      let taken = 0;
      for (let n = start + 1; n <= start + length; n += 1) if (isSampled(n, ratio)) taken += 1;
      expect(Math.abs(taken - ratio * length)).toBeLessThanOrEqual(1 + 1e-6);
    }),
  );
});
