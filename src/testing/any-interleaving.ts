import fc from "fast-check";
import { expect } from "vitest";
import { checkOutcome, runHistory } from "./order-history";

const NONE = { violations: 0, accountViolations: 0, doubled: 0, lost: [] };

/** On a log with fences nothing is ever late. */
export async function assertAnyInterleaving(numRuns: number): Promise<void> {
  let durable = 0;
  await fc.assert(
    fc.asyncProperty(fc.integer(), async seed => {
      const outcome = await runHistory(seed, { fences: true, steps: 350 });
      durable += outcome.durable.size;
      expect({ ...checkOutcome(outcome), late: outcome.world.deadLetters.size }).toEqual({
        ...NONE,
        late: 0,
      });
    }),
    { numRuns, endOnFailure: true },
  );
  expect(durable).toBeGreaterThan(numRuns * 10);
}

/** Without fences a producer that slept may be late, and no other: each such order is a dead letter. */
export async function assertWithoutFences(numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async seed => {
      const outcome = await runHistory(seed, { fences: false, steps: 350 });
      const late = [...outcome.world.deadLetters.values()].filter(({ reason }) => reason === "late");
      const awake = late.filter(({ event }) => !outcome.world.evicted.has(Number(event.producer)));
      const { lost, ...broken } = checkOutcome(outcome);
      expect({ ...broken, lost: [], awake }).toEqual({ ...NONE, awake: [] });
      expect(lost.length).toBeLessThanOrEqual(late.length);
    }),
    { numRuns, endOnFailure: true },
  );
}
