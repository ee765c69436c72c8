import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { backoffMs } from "./backoff";
import { type RunningLoop, runLoop, type StepResult } from "./run-loop";

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => vi.useRealTimers());

const noError = (error: unknown) => {
  throw error;
};

/** Lets the loop run without advancing the clock. */
const settle = async () => {
  for (let i = 0; i < 5; i += 1) await nextTurn();
};

test("continues at once after again, and waits after idle", async () => {
  const results: StepResult[] = ["again", "again", "idle", "idle"];
  const step = vi.fn(async () => results.shift() ?? "idle");
  const loop = runLoop({ name: "x", everyMs: 100, step, onError: noError });
  await settle();
  expect(step).toHaveBeenCalledTimes(3);
  await vi.advanceTimersByTimeAsync(99);
  expect(step).toHaveBeenCalledTimes(3);
  await vi.advanceTimersByTimeAsync(1);
  expect(step).toHaveBeenCalledTimes(4);
  await loop.stop();
  expect(vi.getTimerCount()).toBe(0);
});

test("wake ends the idle wait, and one during a step is not lost", async () => {
  let finish = (_: StepResult) => {};
  const step = vi.fn(() => new Promise<StepResult>(resolve => (finish = resolve)));
  const loop = runLoop({ name: "x", everyMs: 60_000, step, onError: noError });
  expect(step).toHaveBeenCalledTimes(1);
  loop.wake();
  finish("idle");
  await settle();
  expect(step).toHaveBeenCalledTimes(2);
  finish("idle");
  await vi.advanceTimersByTimeAsync(10);
  expect(step).toHaveBeenCalledTimes(2);
  loop.wake();
  await settle();
  expect(step).toHaveBeenCalledTimes(3);
  finish("idle");
  await loop.stop();
});

test("errors back off, up to the bound; wake does not shorten that; success resets it", async () => {
  const waits: number[] = [];
  let failing = true;
  const step = vi.fn(async (): Promise<StepResult> => {
    if (failing) throw new Error("down");
    return "idle";
  });
  const loop = runLoop({
    name: "x",
    everyMs: 100,
    maxBackoffMs: 400,
    random: () => 1,
    step,
    onError: (_error, { inMs }) => waits.push(inMs),
  });
  for (const ms of [0, 100, 200, 400, 400]) await vi.advanceTimersByTimeAsync(ms);
  expect(waits).toEqual([100, 200, 400, 400, 400]);
  loop.wake();
  await vi.advanceTimersByTimeAsync(300);
  expect(step).toHaveBeenCalledTimes(5);
  failing = false;
  await vi.advanceTimersByTimeAsync(100);
  failing = true;
  await vi.advanceTimersByTimeAsync(100);
  expect(waits.at(-1)).toBe(100);
  await loop.stop();
});

test("stop aborts the signal, waits for the current step, and does not report its error", async () => {
  const onError = vi.fn();
  let ended = false;
  const step = (signal: AbortSignal) =>
    new Promise<StepResult>((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        setTimeout(() => {
          ended = true;
          reject(signal.reason);
        }, 50);
      });
    });
  const loop = runLoop({ name: "x", everyMs: 100, step, onError });
  const stopped = loop.stop();
  await vi.advanceTimersByTimeAsync(49);
  expect(ended).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await stopped;
  await loop.done;
  expect(ended).toBe(true);
  expect(onError).not.toHaveBeenCalled();
});

test("a step may ask for another wait, which a wake ends as well", async () => {
  let steps = 0;
  const step = async (): Promise<StepResult> => (++steps === 1 ? { waitMs: 150 } : "idle");
  const loop = runLoop({ name: "x", everyMs: 5, step, onError: noError });
  await vi.advanceTimersByTimeAsync(140);
  expect(steps).toBe(1);
  await vi.advanceTimersByTimeAsync(100);
  expect(steps).toBeGreaterThan(10);
  await loop.stop();
  steps = 0;
  const woken = runLoop({ name: "x", everyMs: 5, step, onError: noError });
  await vi.advanceTimersByTimeAsync(10);
  woken.wake();
  await vi.advanceTimersByTimeAsync(1);
  expect(steps).toBe(2);
  await woken.stop();
});

test("loops with the same wait get into step", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const at: number[][] = [[], []];
  const loops: RunningLoop[] = [];
  for (const times of at) {
    const step = async (): Promise<StepResult> => {
      times.push(Math.round(performance.now()));
      return "idle";
    };
    loops.push(runLoop({ name: "x", everyMs: 1_000, step, onError: noError }));
    await vi.advanceTimersByTimeAsync(300);
  }
  await vi.advanceTimersByTimeAsync(5_000);
  for (const loop of loops) await loop.stop();
  expect(at[0]!.length).toBeGreaterThanOrEqual(5);
  expect(at[0]!.slice(-3)).toEqual(at[1]!.slice(-3));
  for (const times of at) expect(Math.min(...gaps(times))).toBeGreaterThanOrEqual(250);
  for (const times of at) expect(Math.max(...gaps(times))).toBeLessThanOrEqual(1_250);
});

const gaps = (times: readonly number[]) => times.slice(1).map((time, i) => time - times[i]!);

test("steps never overlap, also with many wakes", async () => {
  let running = 0;
  let most = 0;
  let steps = 0;
  const step = async (): Promise<StepResult> => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running -= 1;
    return ++steps % 3 === 0 ? "idle" : "again";
  };
  const loop = runLoop({ name: "x", everyMs: 5, step, onError: noError });
  for (let i = 0; i < 50; i += 1) {
    loop.wake();
    await vi.advanceTimersByTimeAsync(1);
  }
  await loop.stop();
  expect(most).toBe(1);
  expect(steps).toBeGreaterThan(10);
});

test("backoff grows from half of the base to the bound", () => {
  expect(backoffMs(1, 100, 1_000, () => 0)).toBe(50);
  expect(backoffMs(3, 100, 1_000, () => 1)).toBe(400);
  expect(backoffMs(5_000, 100, 1_000, () => 1)).toBe(1_000);
});
