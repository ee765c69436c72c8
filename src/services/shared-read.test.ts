import { expect, it } from "vitest";
import { sharedRead } from "./shared-read";

it("asks once for all who ask at the same time, and again after a failure or when it is old", async () => {
  const answers = [() => Promise.reject(new Error("busy")), async () => 1, async () => 2];
  let asked = 0;
  const next = () => answers[asked++]!();
  const read = sharedRead(60_000, next);
  await expect(read()).rejects.toThrow("busy");
  expect(await Promise.all([read(), read()])).toEqual([1, 1]);
  expect(await read()).toBe(1);
  expect(asked).toBe(2);
  const impatient = sharedRead(0, next);
  expect(await impatient()).toBe(2);
});
