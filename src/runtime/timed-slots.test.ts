import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { TimedSlots, TooManyWaiting } from "./timed-slots";

test("who would wait for too long is refused at once, with the time to come back", async () => {
  const slots = new TimedSlots({ slots: 2, maxWaitMs: 500 });
  const work = () => sleep(5);
  const first = Array.from({ length: 12 }, () => slots.run(work));
  // Before anything was measured a piece counts as 100 ms: 10 wait, and the 11th would wait for 550 ms.
  expect(slots.waiting).toBe(10);
  const refused = await slots.run(work).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(TooManyWaiting);
  expect((refused as TooManyWaiting).retryAfterMs).toBe(550);
  await Promise.all(first);
  expect(slots.waiting).toBe(0);
  for (let n = 0; n < 60; n += 1) await slots.run(work);
  // Now they are known to be short.
  const many = Array.from({ length: 40 }, () => slots.run(work));
  await Promise.all(many);
});

test("an error frees its slot", async () => {
  const slots = new TimedSlots({ slots: 1, maxWaitMs: 1_000 });
  const failing = slots.run(() => Promise.reject(new Error("broken")));
  const next = slots.run(async () => "done");
  await expect(failing).rejects.toThrow("broken");
  expect(await next).toBe("done");
});
