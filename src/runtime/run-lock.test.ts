import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { identityOf } from "./process-info";
import { takeRunLock } from "./run-lock";

const URL = "http://localhost:3000";
let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "floodgate-lock-"));
  file = join(dir, "run.json");
});
afterEach(() => rmSync(dir, { recursive: true }));

const write = (owner: object) => writeFileSync(file, JSON.stringify({ startedAt: "x", url: URL, ...owner }));

test("a second start fails with the URL of the first; after the release a start succeeds", async () => {
  const release = await takeRunLock(file, URL);
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ pid: process.pid, url: URL });
  const message = `Floodgate is already running at ${URL} (pid ${process.pid})`;
  await expect(takeRunLock(file, "http://localhost:3001")).rejects.toThrow(message);
  release();
  expect(existsSync(file)).toBe(false);
  (await takeRunLock(file, URL))();
});

test("the lock of a dead process is taken over", async () => {
  const child = spawn(process.execPath, ["-e", ""]);
  await new Promise(resolve => child.once("exit", resolve));
  write({ pid: child.pid });
  const release = await takeRunLock(file, URL);
  expect(JSON.parse(readFileSync(file, "utf8")).pid).toBe(process.pid);
  release();
});

test("a reused pid is not an owner, even our own pid", async () => {
  write({ pid: process.ppid, identity: "an earlier boot:1" });
  (await takeRunLock(file, URL))();
  write({ pid: process.pid, identity: "an earlier boot:1" });
  (await takeRunLock(file, URL))();
  write({ pid: process.ppid, identity: identityOf(process.ppid) });
  await expect(takeRunLock(file, URL)).rejects.toThrow(/already running/);
});

test("a broken lock file is waited for while it may still be written, then taken over", async () => {
  writeFileSync(file, '{"pid":');
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(file, longAgo, longAgo);
  (await takeRunLock(file, URL))();
});

test("a release does not remove the lock of another owner", async () => {
  const release = await takeRunLock(file, URL);
  write({ pid: process.ppid });
  release();
  expect(existsSync(file)).toBe(true);
});

test("of concurrent starts, also over a stale lock, exactly one succeeds", async () => {
  const module = join(import.meta.dirname, "run-lock.ts");
  const code = `
    const { takeRunLock } = await import(${JSON.stringify(module)});
    await takeRunLock(${JSON.stringify(file)}, "u").then(() => console.log("won"), error => console.log(error.message));
    process.stdin.resume().once("end", () => process.exit());`;
  write({ pid: 2 ** 22 + 1 });
  const children = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", code], {
      stdio: ["pipe", "pipe", "inherit"],
    }),
  );
  const answers = await Promise.all(
    children.map(
      child => new Promise<string>(resolve => child.stdout.once("data", line => resolve(String(line)))),
    ),
  );
  for (const child of children) child.stdin.end();
  expect(answers.filter(answer => answer.startsWith("won"))).toHaveLength(1);
  expect(answers.filter(answer => answer.startsWith("Floodgate is already running"))).toHaveLength(5);
}, 30_000);
