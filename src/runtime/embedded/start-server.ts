import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type StopStep, terminate } from "../process-info";
import { keepRunning } from "../supervise/keep-running";

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
  /** Called when the server has crashed too often to be restarted. */
  onFailure: (reason: string) => void;
  signal?: AbortSignal;
};

/** Starts a server, waits until it answers, and restarts it after a crash. */
export async function startServer(spec: ServerSpec): Promise<{ stop(): Promise<void> }> {
  const start = () => spawnServer(spec);
  const child = start();
  try {
    await untilReady(child, spec);
  } catch (error) {
    if (child.pid !== undefined) await terminate(child.pid, spec.stopSteps, { group: true });
    throw error;
  }
  const { name, stopSteps, log } = spec;
  return keepRunning({ name, start, running: child, stopSteps, log, onGiveUp: spec.onFailure });
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
      if (ended !== undefined) throw new Error(`${name} did not start (${ended}).${tail(logFile)}`);
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
  const lines = readFileSync(file, "utf8").trimEnd().split("\n").slice(-15);
  return ` The end of ${file}:\n${lines.map(line => `  ${line}`).join("\n")}`;
}
