import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { backoffMs } from "../backoff";
import { type StopStep, terminate, trySignal } from "../process-info";

export type KeepRunningOptions = {
  name: string;
  /** Spawns the process, detached: it leads its own process group. */
  start: () => ChildProcess;
  /** A process that `start` made before and that runs already. */
  running?: ChildProcess;
  /** How a first process ended that `start` made before. */
  failed?: string;
  stopSteps: StopStep[];
  log: (line: string) => void;
} & (
  | {
      /** Called once per series of crashes; `restart()` tries again. */
      onGiveUp: (reason: string) => void;
      limits?: { crashes: number; withinMs: number; baseDelayMs: number; maxDelayMs: number };
    }
  | { forEver: ForEver }
);

/** `reason` goes to every reader of the health; `advice` to the terminal, where paths may be named. */
export type DownReason = { reason: string; advice?: string };

/** For a process that the others can do without: it is never given up. */
export type ForEver = {
  /** Called when it goes down, when the reason changes, and with null when it is up again. */
  onChange: (reason: string | null) => void;
  /** Turns how it ended, such as "exit code 1", into a reason that a person can act on. */
  explain?: (how: string) => DownReason;
  /** Whether it can do its work; by default it can as long as it runs. */
  isReady?: () => Promise<boolean>;
  /** `steadyMs`: how long it must run before it counts as up again. */
  pauses?: { baseMs: number; maxMs: number; steadyMs: number };
};

export type KeptProcess = {
  pid(): number | undefined;
  /** Why it is down; null while it is up, and for a process that may be given up. */
  readonly downReason: string | null;
  restart(): Promise<void>;
  stop(): Promise<void>;
};

const LIMITS = { crashes: 5, withinMs: 60_000, baseDelayMs: 250, maxDelayMs: 5_000 };
export const PAUSES = { baseMs: 1_000, maxMs: 60_000, steadyMs: 10_000 };
const READY_PROBE_MS = 500;

/** What happens after a crash: a pause in milliseconds before the next start, or null for none. */
type Policy = {
  onCrash(how: string): number | null;
  /** A new process runs; `isCurrent` turns false when it ends. */
  onStart(isCurrent: () => boolean): void;
  reset(): void;
  readonly downReason: string | null;
};

/**
 * Keeps one process running. Any end that was not asked for is a crash: it is started again after a
 * growing delay; with `onGiveUp` until `limits.crashes` fall within `limits.withinMs`, else for ever.
 */
export function keepRunning(options: KeepRunningOptions): KeptProcess {
  const { start, stopSteps } = options;
  const policy = "forEver" in options ? retryForEver(options, options.forEver) : giveUpAfter(options);
  const expected = new WeakSet<ChildProcess>();
  let current: ChildProcess | undefined;
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
    policy.onStart(() => current === child && !stopped);
  };

  const crashed = (how: string) => {
    current = undefined;
    if (stopped) return;
    const delayMs = policy.onCrash(how);
    if (delayMs !== null) timer = setTimeout(() => watch(start()), delayMs);
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

  if (options.failed !== undefined) crashed(options.failed);
  else watch(options.running ?? start());
  return {
    pid: () => current?.pid,
    get downReason() {
      return policy.downReason;
    },
    restart: () =>
      change(async () => {
        if (stopped) return;
        await end();
        policy.reset();
        if (!stopped) watch(start());
      }),
    stop: () => {
      stopped = true;
      return change(end);
    },
  };
}

function giveUpAfter(options: Extract<KeepRunningOptions, { onGiveUp: unknown }>): Policy {
  const { name, log, onGiveUp, limits = LIMITS } = options;
  let crashes: number[] = [];
  return {
    downReason: null,
    onStart() {},
    onCrash(how) {
      const now = Date.now();
      crashes = [...crashes.filter(at => now - at < limits.withinMs), now];
      if (crashes.length >= limits.crashes) {
        const seconds = Math.round(limits.withinMs / 1_000);
        onGiveUp(`${name} ended ${crashes.length} times within ${seconds} s, at last with ${how}`);
        return null;
      }
      log(`${name} ended with ${how}; starting it again`);
      return backoffMs(crashes.length, limits.baseDelayMs, limits.maxDelayMs);
    },
    reset() {
      crashes = [];
    },
  };
}

function retryForEver({ name, log }: KeepRunningOptions, forEver: ForEver): Policy {
  const { onChange, isReady = async () => true, pauses = PAUSES } = forEver;
  const { explain = (how): DownReason => ({ reason: `it ended with ${how}` }) } = forEver;
  const mostSeconds = Math.ceil(pauses.maxMs / 1_000);
  let attempts = 0;
  let reason: string | null = null;

  const defaultAdvice = `It is started again, with pauses of up to ${mostSeconds} s`;
  const change = (now: DownReason | null) => {
    if ((now?.reason ?? null) === reason) return;
    reason = now?.reason ?? null;
    onChange(reason);
    if (now === null) log(`${name} runs again`);
    else log(`${name} is down: ${now.reason}. ${now.advice ?? defaultAdvice}`);
  };

  const untilUp = async (isCurrent: () => boolean) => {
    await sleep(pauses.steadyMs, undefined, { ref: false });
    while (isCurrent() && !(await isReady().catch(() => false)))
      await sleep(READY_PROBE_MS, undefined, { ref: false });
    if (!isCurrent()) return;
    // One that dies in its first minute again and again still waits longer each time.
    setTimeout(() => isCurrent() && reset(), pauses.maxMs).unref();
    change(null);
  };
  const reset = () => {
    attempts = 0;
  };

  return {
    get downReason() {
      return reason;
    },
    onStart(isCurrent) {
      void untilUp(isCurrent);
    },
    onCrash(how) {
      attempts += 1;
      change(explain(how));
      return backoffMs(attempts, pauses.baseMs, pauses.maxMs);
    },
    reset,
  };
}
