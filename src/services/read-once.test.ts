import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readOnce } from "./read-once";

describe("readOnce", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("loads again when the value is old, after forget(), and after a failure", async () => {
    let reads = 0;
    let fails = false;
    const once = readOnce(400, async () => {
      reads += 1;
      if (fails) throw new Error("gone");
      return reads;
    });
    expect(await Promise.all([once.read(), once.read()])).toEqual([1, 1]);
    vi.advanceTimersByTime(399);
    expect(await once.read()).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await once.read()).toBe(2);
    once.forget();
    expect(await once.read()).toBe(3);
    vi.advanceTimersByTime(400);
    fails = true;
    await expect(once.read()).rejects.toThrow("gone");
    fails = false;
    expect(await once.read()).toBe(5);
  });
});
