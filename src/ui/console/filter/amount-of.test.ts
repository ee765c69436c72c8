import { expect, test } from "vitest";
import { amountOf } from "./amount-of";
import { readProgress } from "./progress";

test("each phase has its own amount", () => {
  const progress = readProgress({
    phase: "reading",
    rows: 10,
    estimatedRows: 40,
    shardsLoaded: 3,
    checked: 7,
  });
  expect(amountOf("building", progress)).toEqual({ done: 10, total: 40, unit: "rows" });
  expect(amountOf("building", { ...progress, phase: "loading" })).toEqual({
    done: 3,
    total: 256,
    unit: "shards",
  });
  expect(amountOf("verifying", progress)).toEqual({ done: 7, total: 10, unit: "rows" });
  expect(amountOf("verifying", { ...progress, rows: 2_000_000 })?.total).toBe(300_000);
  expect(amountOf("building", { phase: "clearing" })).toBeNull();
  expect(amountOf("catching-up", progress)).toBeNull();
});

test("readProgress drops unknown fields and fields of another type", () => {
  expect(readProgress({ rows: "many", phase: "reading", attempts: 2, memory: {} })).toEqual({
    phase: "reading",
    attempts: 2,
  });
  expect(readProgress({ throttle: null })).toEqual({ throttle: null });
});
