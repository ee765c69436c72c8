import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

export type WorkerName = "relay" | "filter" | "aggregator" | "engine" | "lab" | "migrate";
type Code = { dir?: string; main?: string };

/**
 * A worker in a process of its own, as `npm run dev` starts it, to be killed at any moment.
 * @param code another folder than this one's, or another module than the worker's
 */
export class WorkerProcess {
  /** What it printed so far. */
  output = "";
  private readonly child: ChildProcess;

  constructor(
    name: WorkerName | "server",
    env: Record<string, string>,
    { dir = ROOT, main = `src/workers/${name}.ts` }: Code = {},
  ) {
    this.child = spawn(process.execPath, ["--import", "tsx", main], {
      cwd: dir,
      env: { PATH: process.env.PATH, NODE_ENV: "test", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const keep = (chunk: Buffer) => {
      this.output += chunk.toString();
    };
    this.child.stdout?.on("data", keep);
    this.child.stderr?.on("data", keep);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Sends the signal and waits for the end; resolves to the exit code, null if the signal ended it. */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<number | null> {
    const ended = this.ended();
    if (this.isRunning) this.child.kill(signal);
    return await ended;
  }

  /** Waits for the end without a signal. */
  async ended(): Promise<number | null> {
    if (this.isRunning) await once(this.child, "exit");
    return this.child.exitCode;
  }
}
