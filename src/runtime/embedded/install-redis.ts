import { existsSync, rmSync, writeFileSync } from "node:fs";
import { runToEnd } from "../supervise/run-to-end";
import { findRedis, isOnPath } from "./find-redis";

export type Command = { command: string; args: string[]; env: NodeJS.ProcessEnv; timeoutMs: number };

/** Debian asks this script whether a package may start its service; 101 is "no". */
const POLICY_FILE = "/usr/sbin/policy-rc.d";
const POLICY = "#!/bin/sh\nexit 101\n";

/** What root on Debian or Ubuntu runs to get a server: quiet, without questions, with bounded waits. */
export function aptCommands(env: NodeJS.ProcessEnv): Command[] {
  const quiet = { ...env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1", LC_ALL: "C" };
  const bounds = ["-qq", "-o", "Acquire::http::Timeout=20", "-o", "DPkg::Lock::Timeout=60"];
  const install = [...bounds, "install", "-y", "--no-install-recommends", "redis-server"];
  return [
    { command: "apt-get", args: [...bounds, "update"], env: quiet, timeoutMs: 120_000 },
    { command: "apt-get", args: install, env: quiet, timeoutMs: 180_000 },
  ];
}

/** One message with the command to run, where Floodgate can't or shouldn't install a server itself. */
export function redisAdvice(platform: NodeJS.Platform, has: (program: string) => boolean): string {
  const managers: [program: string, command: string][] = [
    ["brew", "brew install redis"],
    ["apt-get", "sudo apt-get install -y redis-server"],
    ["dnf", "sudo dnf install -y redis || sudo dnf install -y valkey"],
    ["apk", "sudo apk add redis"],
  ];
  const known = managers.find(([program]) => has(program))?.[1];
  const install = known ?? (platform === "darwin" ? "brew install redis" : undefined);
  const docker = "docker run -d --name floodgate-redis -p 127.0.0.1:6379:6379 redis:8";
  return [
    "Floodgate needs a Redis or Valkey server, and none was found on PATH.",
    ...(install === undefined ? [] : [`  Install one:    ${install}`]),
    `  Or use Docker:  ${docker}`,
    "                  then start with REDIS_URL=redis://127.0.0.1:6379",
  ].join("\n");
}

/** The server to run; installs it when that needs no question (root with apt), else throws the advice. */
export async function requireRedis(log: (line: string) => void, signal?: AbortSignal): Promise<string> {
  const found = findRedis();
  if (found !== undefined) return found;
  const advice = redisAdvice(process.platform, isOnPath);
  if (process.getuid?.() !== 0 || !isOnPath("apt-get")) throw new Error(advice);

  log("Installing redis-server with apt-get (a minute at most)");
  const problem = await aptInstall(signal);
  const installed = findRedis();
  if (installed !== undefined) return installed;
  throw new Error(`apt-get could not install redis-server${problem}\n${advice}`);
}

async function aptInstall(signal: AbortSignal | undefined): Promise<string> {
  const ownPolicy = !existsSync(POLICY_FILE);
  if (ownPolicy) writeFileSync(POLICY_FILE, POLICY, { mode: 0o755 });
  let problem = "";
  try {
    // A failed update need not matter: the lists of an earlier one may do.
    for (const { command, args, env, timeoutMs } of aptCommands(process.env)) {
      const bound = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
      await runToEnd(command, args, { env, signal: bound, quiet: true }).catch(error => {
        problem = `: ${error.message}`;
      });
      signal?.throwIfAborted();
    }
  } finally {
    if (ownPolicy) rmSync(POLICY_FILE, { force: true });
  }
  // Where systemd runs, the package has enabled its own service for the next boot.
  if (existsSync("/run/systemd/system")) {
    await runToEnd("systemctl", ["disable", "redis-server"], { quiet: true }).catch(() => {});
  }
  return problem;
}
