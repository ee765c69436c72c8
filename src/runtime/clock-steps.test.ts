import { expect, it } from "vitest";
import { ClockSteps } from "./clock-steps";

const at = (sentUs: number, takesUs = 0) => ({ sentUs, receivedUs: sentUs + takesUs });

it("counts steps of a clock in both directions, and no slow answer", () => {
  const steps: number[] = [];
  const clock = new ClockSteps(stepMs => steps.push(stepMs));
  clock.observe(50_000_000, at(0));
  clock.observe(51_000_000, at(1_000_000));
  // The answer took two seconds: it may be of any moment in between.
  clock.observe(52_100_000, at(2_000_000, 2_000_000));
  clock.observe(54_100_000, at(4_100_000));
  expect(steps).toEqual([]);
  clock.observe(3_655_100_000, at(5_100_000));
  clock.observe(3_656_100_000, at(6_100_000));
  clock.observe(56_600_000, at(6_600_000));
  expect(steps).toEqual([3_600_000, -3_600_000]);
});
