import fc from "fast-check";
import { expect, test } from "vitest";
import { addSample, rateOf, type Sample, secondsLeft } from "./work-rate";

const collect = (samples: Sample[]) => samples.reduce<Sample[]>(addSample, []);

test("steady work has a rate and a remaining time", () => {
  const samples = collect([0, 1, 2, 3].map(second => ({ at: second * 1_000, done: second * 250 })));
  expect(rateOf(samples)).toBe(250);
  expect(secondsLeft(rateOf(samples), 750, 1_750)).toBe(4);
});

test("there is no forecast from one sample, without a total, or past the total", () => {
  expect(rateOf(collect([{ at: 5, done: 3 }]))).toBeNull();
  expect(secondsLeft(null, 10, 20)).toBeNull();
  expect(secondsLeft(5, 10, undefined)).toBeNull();
  expect(secondsLeft(5, 30, 20)).toBeNull();
});

test("a second attempt gives no negative rate", () => {
  const samples = collect([
    { at: 0, done: 0 },
    { at: 1_000, done: 900 },
    { at: 2_000, done: 100 },
    { at: 3_000, done: 300 },
  ]);
  expect(rateOf(samples)).toBe(200);
});

test("for any samples the window is short and sorted, and its rate is not negative", () => {
  const sample = fc.record({ at: fc.nat(100_000), done: fc.nat(1_000) });
  fc.assert(
    fc.property(fc.array(sample), samples => {
      const kept = collect(samples);
      const times = kept.map(({ at }) => at);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeLessThanOrEqual(10_000);
      expect(rateOf(kept) ?? 0).toBeGreaterThanOrEqual(0);
    }),
  );
});
