import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isPortTaken } from "../ports";
import { type StopStep, terminate } from "../process-info";
import { type DownReason, type ForEver, keepRunning, PAUSES } from "../supervise/keep-running";

export type ServerSpec = {
  name: string;
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  user?: { uid: number; gid: number };
  logFile: string;
  stopSteps: StopStep[];
  /** Resolves to true when a client can use the server; throws when a retry can't help. */
  isReady: () => Promise<boolean>;
  readyTimeoutMs?: number;
  log: (line: string) => void;
  signal?: AbortSignal;
} & (
  | {
      /** Called when the server has crashed too often to be restarted. */
      onFailure: (reason: string) => void;
    }
  | {
      /** The start goes on without the server, which is tried again for ever. */
      forEver: Pick<ForEver, "onChange"> & {
        explain: (how: string, endOfLog: string) => DownReason;
      };
    }
);

/** Up again as soon as it answers: it has loaded its data then. */
const STEADY_MS = 500;

/** Starts a server, waits until it answers, and restarts it after a crash. */
export async function startServer(spec: ServerSpec): Promise<{ stop(): Promise<void> }> {
  const { name, stopSteps, log, isReady, logFile } = spec;
  const start = () => spawnServer(spec);
  const child = start();
  let failed: string | undefined;
  try {
    await untilReady(child, spec);
  } catch (error) {
    if (child.pid !== undefined) await terminate(child.pid, stopSteps, { group: true });
    // Another port may help against a port in use; against all else, only time or a person.
    if (!("forEver" in spec) || spec.signal?.aborted || isPortTaken(error)) throw error;
    failed = error instanceof ServerEnded ? error.how : (error as Error).message;
  }
  if (!("forEver" in spec))
    return keepRunning({ name, start, running: child, stopSteps, log, onGiveUp: spec.onFailure });
  const { onChange, explain } = spec.forEver;
  const first = failed === undefined ? { running: child } : { failed };
  return keepRunning({
    name,
    start,
    running: first.running,
    failed: first.failed,
    stopSteps,
    log,
    forEver: {
      onChange,
      isReady,
      explain: how => explain(how, lastLines(logFile)),
      pauses: { baseMs: PAUSES.baseMs, maxMs: PAUSES.maxMs, steadyMs: STEADY_MS },
    },
  });
}

/** The server's process ended before the server answered. */
class ServerEnded extends Error {
  constructor(
    message: string,
    readonly how: string,
  ) {
    super(message);
  }
}

/** Its own session and log file: Ctrl-C in the terminal and the end of the supervisor don't stop the server. */
function spawnServer({ command, args, env, user, logFile }: ServerSpec): ChildProcess {
  const output = openSync(logFile, "a", 0o600);
  try {
    return spawn(command, args, {
      env,
      ...user,
      cwd: "/",
      detached: true,
      stdio: ["ignore", output, output],
    });
  } finally {
    closeSync(output);
  }
}

async function untilReady(child: ChildProcess, spec: ServerSpec): Promise<void> {
  const { name, logFile, signal, readyTimeoutMs = 60_000 } = spec;
  let ended: string | undefined;
  const onError = (error: Error) => {
    ended = error.message;
  };
  const onExit = (code: number | null, by: string | null) => {
    ended = by ?? `exit code ${code}`;
  };
  child.once("error", onError).once("exit", onExit);
  try {
    const deadline = Date.now() + readyTimeoutMs;
    for (;;) {
      const ready = await spec.isReady();
      signal?.throwIfAborted();
      if (ended !== undefined)
        throw new ServerEnded(`${name} did not start (${ended}).${tail(logFile)}`, ended);
      if (ready) return;
      if (Date.now() > deadline) {
        throw new Error(`${name} did not answer within ${readyTimeoutMs / 1_000} s.${tail(logFile)}`);
      }
      await sleep(50);
    }
  } finally {
    child.off("error", onError).off("exit", onExit);
  }
}

function tail(file: string): string {
  const indented = lastLines(file).replaceAll(/^/gm, "  ");
  return ` The end of ${file}:\n${indented}`;
}

function lastLines(file: string): string {
  return readFileSync(file, "utf8").trimEnd().split("\n").slice(-15).join("\n");
}
