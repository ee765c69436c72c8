import { describe, expect, it } from "vitest";
import { currentValue, findGaps, type Line, toPoints, trendOf } from "./points";

const ratio: Line[] = [{ id: "fallback_maybe_per_s", label: "maybe", colour: "", per: "checks_per_s" }];
const plain: Line[] = [{ id: "checks_per_s", label: "checks", colour: "" }];
const series = (values: (number | null)[]) => ({
  stepMs: 1_000,
  at: values.map((_, i) => i * 1_000),
  values: { checks_per_s: values },
});

describe("points", () => {
  it("divides by the other series, and has no data where that one is 0 or unknown", () => {
    const data = {
      stepMs: 1_000,
      at: [0, 1_000, 2_000],
      values: { checks_per_s: [10, 0, null], fallback_maybe_per_s: [1, 0, 3] },
    };
    expect(toPoints(data, ratio).map(point => point.fallback_maybe_per_s)).toEqual([0.1, null, null]);
  });

  it("finds the spans without data, except for the newest points that are still arriving", () => {
    const values = [...Array(10).fill(1), ...Array(20).fill(null), ...Array(26).fill(1), null, null, null];
    const points = toPoints(series(values), plain);
    expect(findGaps(points, plain, { from: 0, to: 59_000, stepMs: 1_000 })).toEqual([
      { from: 9_500, to: 29_500 },
    ]);
  });

  it("treats a window without any data as one gap", () => {
    expect(findGaps([], plain, { from: 0, to: 60_000, stepMs: 1_000 })).toEqual([{ from: 0, to: 60_000 }]);
  });

  it("has no current value when the last one is old, and treats 0 as a value", () => {
    const points = toPoints(series([5, 0, null, null]), plain);
    expect(currentValue(points, "checks_per_s", { to: 3_000, stepMs: 1_000 })).toBe(0);
    expect(currentValue(points, "checks_per_s", { to: 30_000, stepMs: 1_000 })).toBeNull();
  });

  it("tells the direction of the trend", () => {
    const rising = toPoints(series([1, 1, 1, 1, 1, 1, 1, 1, 4, 4]), plain);
    expect(trendOf(rising, "checks_per_s")).toEqual({ direction: "rising", before: 1 });
    expect(trendOf(toPoints(series(Array(10).fill(0)), plain), "checks_per_s")?.direction).toBe("steady");
    expect(trendOf(toPoints(series([null, null, 1]), plain), "checks_per_s")).toBeNull();
  });
});
