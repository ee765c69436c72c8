import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AppError } from "../domain/app-error";
import { pickGrid } from "./rollups";

const NOW = Date.parse("2026-03-04T05:06:07.890Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const last = (ms: number) => pickGrid({ fromMs: NOW - ms, toMs: NOW, nowMs: NOW });

describe("which rollup a chart reads", () => {
  it.each([
    ["5 min", 5 * MINUTE, "1s", 1_000],
    ["15 min", 15 * MINUTE, "1s", 2_000],
    ["1 h", HOUR, "10s", 10_000],
    ["6 h", 6 * HOUR, "1m", MINUTE],
    ["24 h", DAY, "10m", 10 * MINUTE],
    ["3 d", 3 * DAY, "10m", 10 * MINUTE],
    ["14 d", 14 * DAY, "1h", HOUR],
  ])("the last %s", (_, ms, rollup, stepMs) => {
    expect(last(ms)).toMatchObject({ rollup: { name: rollup }, stepMs });
  });

  it("a short time long ago is read from a rollup that still keeps it", () => {
    const grid = pickGrid({ fromMs: NOW - 3 * DAY, toMs: NOW - 3 * DAY + 5 * MINUTE, nowMs: NOW });
    expect(grid).toMatchObject({ rollup: { name: "1m" }, stepMs: MINUTE });
  });

  it("never more than 500 points, which cover the range, on whole steps", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 14 * DAY }), fc.integer({ min: 0, max: 14 * DAY }), (ms, ago) => {
        const toMs = NOW - ago;
        const { rollup, startMs, stepMs, count } = pickGrid({ fromMs: toMs - ms, toMs, nowMs: NOW });
        expect(count).toBeGreaterThan(0);
        expect(count).toBeLessThanOrEqual(500);
        expect(startMs % stepMs).toBe(0);
        expect(stepMs % rollup.stepMs).toBe(0);
        expect(startMs).toBeLessThanOrEqual(toMs - ms);
        expect(startMs + count * stepMs).toBeGreaterThanOrEqual(toMs);
        expect((count * stepMs) / rollup.stepMs).toBeLessThan(1_100);
      }),
    );
  });
});

describe("ranges that cannot be read", () => {
  const failure = (fromMs: number, toMs: number) => {
    try {
      return pickGrid({ fromMs, toMs, nowMs: NOW });
    } catch (error) {
      return error instanceof AppError ? error.code : error;
    }
  };
  it.each([
    ["reversed", NOW, NOW - HOUR],
    ["empty", NOW, NOW],
    ["not a number", Number.NaN, NOW],
    ["in the future", NOW + HOUR, NOW + 2 * HOUR],
    ["longer than 14 days", NOW - 15 * DAY, NOW],
    ["since 1970", 0, NOW],
  ])("%s", (_, fromMs, toMs) => {
    expect(failure(fromMs, toMs)).toBe("BAD_REQUEST");
  });

  it("one that ends in the future ends now", () => {
    const { startMs, stepMs, count } = pickGrid({ fromMs: NOW - MINUTE, toMs: NOW + 99 * DAY, nowMs: NOW });
    expect(startMs + count * stepMs).toBeLessThan(NOW + 1_000);
  });
});
