import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { aptCommands } from "./apt-install";
import { findRedis, isOnPath } from "./find-redis";
import { redisAdvice } from "./install-redis";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "floodgate-find-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

function program(folder: string, name: string, mode = 0o755): string {
  mkdirSync(join(dir, folder), { recursive: true });
  const file = join(dir, folder, name);
  writeFileSync(file, "", { mode });
  return file;
}

test("PATH is searched before the usual folders, Redis before Valkey", () => {
  const usual = program("usual", "redis-server");
  const valkey = program("first", "valkey-server");
  expect(findRedis(join(dir, "first"), [join(dir, "usual")])).toBe(usual);
  const onPath = program("second", "redis-server");
  const path = [join(dir, "first"), join(dir, "second")].join(delimiter);
  expect(findRedis(path, [join(dir, "usual")])).toBe(onPath);
  expect(findRedis(join(dir, "first"), [])).toBe(valkey);
});

test("a missing, relative or non-executable program does not count", () => {
  program("a", "redis-server", 0o644);
  mkdirSync(join(dir, "b/redis-server"), { recursive: true });
  expect(findRedis([join(dir, "a"), join(dir, "b"), "."].join(delimiter), [])).toBeUndefined();
  expect(findRedis("", [])).toBeUndefined();
});

test("isOnPath looks on PATH only", () => {
  program("bin", "brew");
  expect(isOnPath("brew", join(dir, "bin"))).toBe(true);
  expect(isOnPath("brew", "")).toBe(false);
});

test("apt is non-interactive, installs only the server, and has timeouts", () => {
  const [update, install] = aptCommands("redis-server", { NODE_ENV: "test", PATH: "/usr/bin" });
  expect(update!.args.at(-1)).toBe("update");
  expect(install!.args.slice(-4)).toEqual(["install", "-y", "--no-install-recommends", "redis-server"]);
  for (const { command, env, timeoutMs } of [update!, install!]) {
    expect(command).toBe("apt-get");
    expect(env).toMatchObject({ PATH: "/usr/bin", DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" });
    expect(timeoutMs).toBeLessThanOrEqual(180_000);
  }
});

test.each([
  ["darwin", "brew", "brew install redis"],
  ["darwin", "none", "brew install redis"],
  ["linux", "apt-get", "sudo apt-get install -y redis-server"],
  ["linux", "dnf", "sudo dnf install -y redis"],
  ["linux", "apk", "sudo apk add redis"],
  ["linux", "none", "docker run"],
] as const)("advice on %s with %s", (platform, manager, expected) => {
  const advice = redisAdvice(platform, name => name === manager);
  expect(advice).toContain(expected);
  expect(advice).toContain("REDIS_URL=redis://127.0.0.1:6379");
});
