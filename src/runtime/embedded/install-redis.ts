import { existsSync } from "node:fs";
import { runToEnd } from "../supervise/run-to-end";
import { aptInstall } from "./apt-install";
import { findRedis, isOnPath } from "./find-redis";

/** The message with the command to run where Floodgate can't install a server. */
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
    "Floodgate needs a Redis or Valkey server. None was found on PATH.",
    ...(install === undefined ? [] : [`  Install one:    ${install}`]),
    `  Or use Docker:  ${docker}`,
    "                  then start with REDIS_URL=redis://127.0.0.1:6379",
  ].join("\n");
}

/** The server to run; installs it when that needs no prompt (root with apt), else throws the advice. */
export async function requireRedis(log: (line: string) => void, signal?: AbortSignal): Promise<string> {
  const found = findRedis();
  if (found !== undefined) return found;
  const advice = redisAdvice(process.platform, isOnPath);
  if (process.getuid?.() !== 0 || !isOnPath("apt-get")) throw new Error(advice);

  log("Installing redis-server with apt-get (a minute at most)");
  const problem = await aptInstall("redis-server", undefined, signal);
  // Where systemd runs, the package has enabled its own service for the next boot.
  if (existsSync("/run/systemd/system")) {
    await runToEnd("systemctl", ["disable", "redis-server"], { quiet: true }).catch(() => {});
  }
  const installed = findRedis();
  if (installed !== undefined) return installed;
  throw new Error(`apt-get could not install redis-server${problem}\n${advice}`);
}
