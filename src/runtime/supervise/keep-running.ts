import type { ChildProcess } from "node:child_process";
import { backoffMs } from "../backoff";
import { type StopStep, terminate, trySignal } from "../process-info";

export type KeepRunningOptions = {
  name: string;
  /** Spawns the process, detached: it leads its own process group. */
  start: () => ChildProcess;
  /** A process that `start` made before and that runs already. */
  running?: ChildProcess;
  stopSteps: StopStep[];
  log: (line: string) => void;
  /** Called once per series of crashes; `restart()` tries again. */
  onGiveUp: (reason: string) => void;
  limits?: { crashes: number; withinMs: number; baseDelayMs: number; maxDelayMs: number };
};

export type KeptProcess = {
  pid(): number | undefined;
  restart(): Promise<void>;
  stop(): Promise<void>;
};

const LIMITS = { crashes: 5, withinMs: 60_000, baseDelayMs: 250, maxDelayMs: 5_000 };

/**
 * Keeps one process running. Any end that was not asked for is a crash: it is started again after a
 * growing delay, until `limits.crashes` fall within `limits.withinMs`.
 */
export function keepRunning(options: KeepRunningOptions): KeptProcess {
  const { name, start, stopSteps, log, onGiveUp, limits = LIMITS } = options;
  const expected = new WeakSet<ChildProcess>();
  let current: ChildProcess | undefined;
  let crashes: number[] = [];
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let lastChange = Promise.resolve();

  const watch = (child: ChildProcess) => {
    current = child;
    const { pid } = child;
    // Without a pid there was no process, and no exit will follow.
    child.on("error", error => {
      if (pid === undefined) crashed(error.message);
    });
    child.once("exit", (code, signal) => {
      if (pid !== undefined) trySignal(-pid, "SIGKILL");
      if (!expected.has(child)) crashed(signal ?? `exit code ${code}`);
    });
  };

  const crashed = (how: string) => {
    current = undefined;
    if (stopped) return;
    const now = Date.now();
    crashes = [...crashes.filter(at => now - at < limits.withinMs), now];
    if (crashes.length >= limits.crashes) {
      const seconds = Math.round(limits.withinMs / 1_000);
      onGiveUp(`${name} ended ${crashes.length} times within ${seconds} s, at last with ${how}`);
      return;
    }
    const delayMs = backoffMs(crashes.length, limits.baseDelayMs, limits.maxDelayMs);
    log(`${name} ended with ${how}; starting it again`);
    timer = setTimeout(() => watch(start()), delayMs);
  };

  const end = async () => {
    clearTimeout(timer);
    const child = current;
    current = undefined;
    if (child?.pid === undefined) return;
    expected.add(child);
    await terminate(child.pid, stopSteps, { group: true });
  };

  // Restarts and the stop run one after the other, in the order of the requests.
  const change = (next: () => Promise<void>) => {
    lastChange = lastChange.then(next);
    return lastChange;
  };

  watch(options.running ?? start());
  return {
    pid: () => current?.pid,
    restart: () =>
      change(async () => {
        if (stopped) return;
        await end();
        crashes = [];
        if (!stopped) watch(start());
      }),
    stop: () => {
      stopped = true;
      return change(end);
    },
  };
}
