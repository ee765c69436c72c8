import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Send `signal`, then wait up to `waitMs` for the end of the process. */
export type StopStep = { signal: NodeJS.Signals; waitMs: number };

/** True for a running process of any user; a zombie counts as ended. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  return readProcStat(pid)?.[0] !== "Z";
}

/** The command line of a process; undefined when it has ended or is hidden. */
export function commandOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim() || undefined;
  } catch {
    return process.platform === "linux" ? undefined : ps(pid, "command=");
  }
}

/** Identifies a process over reuse of its pid: boot id and start time, as far as they can be read. */
export function identityOf(pid: number): string | undefined {
  const startTicks = readProcStat(pid)?.[19];
  if (startTicks === undefined) return process.platform === "linux" ? undefined : ps(pid, "lstart=");
  return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}:${startTicks}`;
}

/**
 * Ends a process with the given steps, then with SIGKILL. `group` also kills its process group, with the
 * processes that it started.
 */
export async function terminate(pid: number, steps: StopStep[], { group = false } = {}): Promise<void> {
  for (const { signal, waitMs } of [...steps, { signal: "SIGKILL" as const, waitMs: 5_000 }]) {
    if (!isRunning(pid)) break;
    trySignal(pid, signal);
    const deadline = Date.now() + waitMs;
    while (isRunning(pid) && Date.now() < deadline) await sleep(20);
  }
  if (group) trySignal(-pid, "SIGKILL");
}

/** Sends a signal to a process that may have ended already; a negative pid means its group. */
export function trySignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Fields of /proc/<pid>/stat from the state on (proc(5) field 3); the name before it may contain any character. */
function readProcStat(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}

function ps(pid: number, column: string): string | undefined {
  try {
    return execFileSync("ps", ["-o", column, "-p", String(pid)], { encoding: "utf8" }).trim() || undefined;
  } catch {
    return undefined;
  }
}
