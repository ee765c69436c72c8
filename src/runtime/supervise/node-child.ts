import { type ChildProcess, spawn } from "node:child_process";

/**
 * Starts a Node process that leads its own process group, so that the terminal's Ctrl-C reaches only
 * the supervisor. The IPC channel closes when the supervisor dies, which tells the child to stop.
 */
export function spawnNode(
  args: string[],
  { cwd, env, output }: { cwd: string; env: NodeJS.ProcessEnv; output: "inherit" | "pipe" },
): ChildProcess {
  return spawn(process.execPath, args, {
    cwd,
    env,
    detached: true,
    stdio: ["ignore", output, output, "ipc"],
  });
}
