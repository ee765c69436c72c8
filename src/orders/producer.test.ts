import { expect, test } from "vitest";
import { DurableRate } from "./producer";

const MS = 1_000;

test("before anything was measured a refused caller comes back soon", () => {
  const rate = new DurableRate();
  expect(rate.msFor(500)).toBe(50);
  rate.note(0, { nowUs: 1_700_000_000_000_000, isBusy: true });
  expect(rate.msFor(500)).toBe(50);
});

test("the rate is that of the time in which orders waited, not of the idle time before", () => {
  const rate = new DurableRate();
  rate.note(0, { nowUs: 0, isBusy: false });
  for (let ms = 10_000; ms <= 10_400; ms += 10)
    rate.note((ms - 10_000) * 50, { nowUs: ms * MS, isBusy: true });
  expect(rate.msFor(5_000)).toBe(100);
  expect(rate.msFor(1)).toBe(20);
  rate.note(20_000, { nowUs: 60_000 * MS, isBusy: false });
  expect(rate.msFor(5_000)).toBe(100);
});

test("a log that takes nothing sends callers away for the longest time", () => {
  const rate = new DurableRate();
  rate.note(10, { nowUs: 0, isBusy: true });
  rate.note(10, { nowUs: 500 * MS, isBusy: true });
  expect(rate.msFor(500)).toBe(5_000);
});
