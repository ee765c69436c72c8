import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** A worker in a process of its own, as `npm run dev` starts it, to be killed at any moment. */
export class WorkerProcess {
  /** What it printed so far. */
  output = "";
  private readonly child: ChildProcess;

  constructor(name: "relay" | "filter" | "aggregator" | "lab", env: Record<string, string>) {
    this.child = spawn(process.execPath, ["--import", "tsx", `src/workers/${name}.ts`], {
      cwd: ROOT,
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
    if (this.isRunning) {
      const gone = once(this.child, "exit");
      this.child.kill(signal);
      await gone;
    }
    return this.child.exitCode;
  }
}
