import { describe, expect, it } from "vitest";
import { axisText, formatAgo, formatLeft, formatQuantity } from "./format";

describe("quantities", () => {
  it.each([
    [0.0231, "ratio", "2.31 %"],
    [0, "ratio", "0 %"],
    [0.5, "ratio", "50 %"],
    [1, "ratio", "100 %"],
    [12.34, "ms", "12.3 ms"],
    [2_000, "ms", "2 s"],
    [1, "count", "1 row"],
    [35, "orders", "35 orders"],
    [12_345, "orders", "12.3K orders"],
    [128.4, "perSecond", "128 /s"],
    [12_345, "perSecond", "12.3K /s"],
    [43_800, "bytesPerSecond", "43.8 kB/s"],
    [300, "seconds", "5 min"],
    [4.25, "seconds", "4.25 s"],
  ] as const)("%d as %s reads %s", (value, unit, text) => {
    expect(formatQuantity(value, unit)).toBe(text);
  });
});

it.each([
  [2_000, "perSecond", "2K\u00a0/s"],
  [100, "perSecond", "100\u00a0/s"],
  [40_000, "bytesPerSecond", "40\u00a0kB"],
  [1_500_000, "bytesPerSecond", "1.50\u00a0MB"],
  [0, "bytesPerSecond", "0"],
] as const)("%d %s has room at an axis as %s", (value, unit, text) => {
  expect(axisText(value, unit)).toBe(text);
});

describe("relative times", () => {
  const now = Date.UTC(2026, 0, 2);
  it.each([
    [now - 2_000, "just now"],
    [now + 2_000, "just now"],
    [now - 42_000, "42 s ago"],
    [now - 3_700_000, "1 h 1 min ago"],
    [now - 12 * 3_600_000 - 900_000, "12 h ago"],
    [now + 3 * 86_400_000, "in 3 d"],
  ])("%d", (at, text) => {
    expect(formatAgo(at, now)).toBe(text);
  });
});

describe("time that is left", () => {
  it.each([
    [1, "0:01"],
    [247_000, "4:07"],
    [3_599_001, "1 h 00 min"],
    [3 * 3_600_000 + 300_000, "3 h 05 min"],
    [52 * 3_600_000, "2 d 4 h"],
    [-5_000, "0:00"],
  ])("%d ms", (ms, text) => {
    expect(formatLeft(ms)).toBe(text);
  });
});
