import { setImmediate as nextTurn } from "node:timers/promises";
import { backoffMs } from "./backoff";

/** `again`: there may be more to do, go on at once. `idle`: wait `everyMs`, or so long, or for `wake()`. */
export type StepResult = "again" | "idle" | { waitMs: number };

export type RunLoopOptions = {
  name: string;
  everyMs: number;
  /** One bounded piece of work. `signal` aborts when the loop is asked to stop. */
  step: (signal: AbortSignal) => Promise<StepResult>;
  onError: (error: unknown, retry: { name: string; attempt: number; inMs: number }) => void;
  maxBackoffMs?: number;
  random?: () => number;
};

export type RunningLoop = {
  /** Resolves when the running step has ended. */
  stop(): Promise<void>;
  /** Resolves when the loop has ended; rejects only if `onError` itself throws. */
  done: Promise<void>;
  /** Ends the idle wait; during a step it cancels the wait that would follow. */
  wake(): void;
};

/** Shorter waits are not moved. */
const LEAST_ALIGNED_MS = 200;

/**
 * The wait until the next whole multiple of itself: loops of one process then do their work in the same turns, which
 * costs an idle process half as much. From a quarter of the wait to five quarters.
 */
function aligned(ms: number): number {
  if (ms < LEAST_ALIGNED_MS) return ms;
  const left = ms - (performance.now() % ms);
  return left < ms / 4 ? left + ms : left;
}

/** Runs `step` over and over, never two at a time. Errors back off from `everyMs` to `maxBackoffMs`. */
export function runLoop(options: RunLoopOptions): RunningLoop {
  const { name, everyMs, step, onError, maxBackoffMs = 30_000, random } = options;
  const stopping = new AbortController();
  let woken = false;
  let endWait: (() => void) | undefined;

  // A notification must not shorten the wait after an error: during an outage notifications keep coming.
  const wait = (ms: number, mayBeWoken: boolean) =>
    new Promise<void>(resolve => {
      if (stopping.signal.aborted || (mayBeWoken && woken)) return resolve();
      const finish = () => {
        clearTimeout(timer);
        stopping.signal.removeEventListener("abort", finish);
        endWait = undefined;
        resolve();
      };
      const timer = setTimeout(finish, ms);
      stopping.signal.addEventListener("abort", finish);
      if (mayBeWoken) endWait = finish;
    });

  const run = async () => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      woken = false;
      try {
        const result = await step(stopping.signal);
        failures = 0;
        // A turn of the event loop, or steps without real I/O would starve timers and signals.
        if (result === "again") await nextTurn();
        else await wait(aligned(result === "idle" ? everyMs : result.waitMs), true);
      } catch (error) {
        if (stopping.signal.aborted) return;
        failures += 1;
        const inMs = backoffMs(failures, Math.max(everyMs, 1), maxBackoffMs, random);
        onError(error, { name, attempt: failures, inMs });
        await wait(inMs, false);
      }
    }
  };

  const done = run();
  return {
    done,
    stop() {
      stopping.abort();
      return done;
    },
    wake() {
      woken = true;
      endWait?.();
    },
  };
}
