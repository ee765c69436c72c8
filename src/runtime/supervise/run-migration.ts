import { once } from "node:events";
import { spawnNode } from "./node-child";

export type FirstAdmin = { username: string; password: string };

/**
 * Runs the migration process to its end.
 * @returns the administrator that it made, null when there is one already
 * @throws with the last of its output when it fails
 */
export async function runMigration(
  args: string[],
  options: { cwd: string; env: NodeJS.ProcessEnv; signal: AbortSignal; onOutput: (text: string) => void },
): Promise<FirstAdmin | null> {
  const { cwd, env, signal, onOutput } = options;
  signal.throwIfAborted();
  const child = spawnNode(args, { cwd, env, output: "pipe" });
  let firstAdmin: FirstAdmin | null = null;
  let output = "";
  child.on("message", (message: { firstAdmin?: FirstAdmin }) => {
    firstAdmin = message.firstAdmin ?? firstAdmin;
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      output = (output + chunk).slice(-2_000);
      onOutput(String(chunk));
    });
  const end = () => child.kill("SIGTERM");
  signal.addEventListener("abort", end);
  try {
    const [code] = await once(child, "close");
    signal.throwIfAborted();
    if (code !== 0) throw new Error(`The database could not be migrated:\n${output.trim()}`);
    return firstAdmin;
  } finally {
    signal.removeEventListener("abort", end);
  }
}
