import { expect, it } from "vitest";
import { SharedClock } from "./shared-clock";

it("follows a step of the log's clock with the next answer, and tells it", async () => {
  const steps: number[] = [];
  let localUs = 1_000_000;
  let aheadUs = 500_000;
  const clock = new SharedClock(
    () => localUs,
    stepMs => steps.push(stepMs),
  );
  const ask = (roundTripUs: number) =>
    clock.observe(async () => {
      localUs += roundTripUs;
      return { nowUs: localUs - roundTripUs / 2 + aheadUs };
    });
  await ask(100);
  expect(clock.nowUs() - localUs).toBe(500_000);
  aheadUs -= 3_600_000_000;
  // Slower than the best answer: a small difference would not count.
  await ask(10_000);
  expect(clock.nowUs() - localUs).toBe(500_000 - 3_600_000_000);
  expect(steps).toEqual([-3_600_000]);
});
