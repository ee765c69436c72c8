import { existsSync, rmSync, writeFileSync } from "node:fs";
import { runToEnd } from "../supervise/run-to-end";

export type Command = { command: string; args: string[]; env: NodeJS.ProcessEnv; timeoutMs: number };

/** Debian runs this script to find out whether a package may start its service; 101 means no. */
const POLICY_FILE = "/usr/sbin/policy-rc.d";
const POLICY = "#!/bin/sh\nexit 101\n";

/** The commands of root on Debian or Ubuntu to install a package: quiet, non-interactive, with timeouts. */
export function aptCommands(name: string, env: NodeJS.ProcessEnv, installTimeoutMs = 180_000): Command[] {
  const quiet = { ...env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1", LC_ALL: "C" };
  const bounds = ["-qq", "-o", "Acquire::http::Timeout=20", "-o", "DPkg::Lock::Timeout=60"];
  const install = [...bounds, "install", "-y", "--no-install-recommends", name];
  return [
    { command: "apt-get", args: [...bounds, "update"], env: quiet, timeoutMs: 120_000 },
    { command: "apt-get", args: install, env: quiet, timeoutMs: installTimeoutMs },
  ];
}

/** Installs a package without starting its services; resolves to the problem, or "". */
export async function aptInstall(name: string, timeoutMs?: number, signal?: AbortSignal): Promise<string> {
  const ownPolicy = !existsSync(POLICY_FILE);
  if (ownPolicy) writeFileSync(POLICY_FILE, POLICY, { mode: 0o755 });
  let problem = "";
  try {
    // A failed update may not matter: the lists of an earlier one may suffice.
    for (const { command, args, env, timeoutMs: limitMs } of aptCommands(name, process.env, timeoutMs)) {
      const bound = AbortSignal.any([AbortSignal.timeout(limitMs), ...(signal ? [signal] : [])]);
      await runToEnd(command, args, { env, signal: bound, quiet: true }).catch(error => {
        problem = `: ${error.message}`;
      });
      signal?.throwIfAborted();
    }
  } finally {
    if (ownPolicy) rmSync(POLICY_FILE, { force: true });
  }
  return problem;
}
