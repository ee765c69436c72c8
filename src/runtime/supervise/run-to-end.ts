import { spawn } from "node:child_process";
import { terminate } from "../process-info";

export type RunToEndOptions = {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Ends the program and all it started. */
  signal?: AbortSignal;
  /** Keep the output for the error instead of showing it. */
  quiet?: boolean;
  /** Of a quiet program: gets each part of the output. */
  onOutput?: (text: string) => void;
};

const STOP_STEPS = [{ signal: "SIGTERM" as const, waitMs: 5_000 }];
const KEPT_CHARS = 2_000;

/** Runs a program; rejects unless it ends with exit code 0. */
export async function runToEnd(
  command: string,
  args: string[],
  options: RunToEndOptions = {},
): Promise<void> {
  const { cwd, env, signal, quiet = false, onOutput } = options;
  signal?.throwIfAborted();
  const output = quiet ? "pipe" : "inherit";
  // Detached, so that Ctrl-C reaches it through us, and the group can be ended as a whole.
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ["ignore", output, output] });
  let kept = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", chunk => {
      kept = (kept + chunk).slice(-KEPT_CHARS);
      onOutput?.(String(chunk));
    });
  }

  let ending: Promise<void> | undefined;
  const onAbort = () => {
    if (child.pid !== undefined) ending = terminate(child.pid, STOP_STEPS, { group: true });
  };
  signal?.addEventListener("abort", onAbort);
  try {
    const how = await new Promise<string | number>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, by) => resolve(by ?? code ?? "no exit code"));
    });
    await ending;
    signal?.throwIfAborted();
    if (how !== 0) {
      const shown = kept.trim() === "" ? "" : `:\n${kept.trim()}`;
      throw new Error(
        `${[command, ...args].join(" ")} ended with ${typeof how === "number" ? `exit code ${how}` : how}${shown}`,
      );
    }
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}
