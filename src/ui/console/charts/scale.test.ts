import { describe, expect, it } from "vitest";
import { niceTop, timeTicks } from "./scale";

describe("axes", () => {
  it.each([
    [0, 0.01, 0.01],
    [0.0231, 0.001, 0.03],
    [37, 1, 40],
    [1_001, 1, 2_000],
    [0.9, 0.1, 1],
  ])("the top above %d (at least %d) is %d", (max, least, top) => {
    expect(niceTop(max, least)).toBeCloseTo(top, 9);
  });

  it.each([300_000, 900_000, 3_600_000, 21_600_000, 86_400_000, 7 * 86_400_000, 14 * 86_400_000])(
    "a window of %d ms has two to seven ticks",
    span => {
      const from = Date.UTC(2026, 2, 3, 4, 5, 6);
      const ticks = timeTicks(from, from + span);
      expect(ticks.length).toBeGreaterThanOrEqual(2);
      expect(ticks.length).toBeLessThanOrEqual(8);
    },
  );
});
