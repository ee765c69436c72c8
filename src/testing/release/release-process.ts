import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { waitFor } from "../wait-for";

export type ReleasePart = "migrate" | "server" | "relay" | "filter" | "aggregator" | "engine";

/** A process of a release in its folder. */
export class ReleaseProcess {
  /** What it logged so far. */
  output = "";
  private readonly child: ChildProcess;

  constructor(
    dir: string,
    private readonly part: ReleasePart,
    env: Record<string, string>,
  ) {
    const main =
      part === "server" ? join(import.meta.dirname, "release-server.ts") : `src/workers/${part}.ts`;
    this.child = spawn(process.execPath, ["--import", "tsx", main], {
      cwd: dir,
      env: { PATH: process.env.PATH, NODE_ENV: "test", LOG_LEVEL: "warn", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const keep = (chunk: Buffer) => {
      this.output += chunk.toString();
    };
    this.child.stdout?.on("data", keep);
    this.child.stderr?.on("data", keep);
  }

  /** Resolves when `/readyz` of this port answers 200. */
  async ready(port: number): Promise<void> {
    const asks = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        answer => answer.ok,
        () => false,
      );
    await waitFor(`the ${this.part} to be ready`, asks, 60_000).catch(error => {
      throw new Error(`${error.message}\n${this.output}`);
    });
  }

  /** Resolves to the exit code; null when a signal ended it. */
  async ended(): Promise<number | null> {
    const { child } = this;
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    return child.exitCode;
  }

  stop(): Promise<number | null> {
    this.child.kill("SIGTERM");
    return this.ended();
  }

  kill(): void {
    this.child.kill("SIGKILL");
  }
}
