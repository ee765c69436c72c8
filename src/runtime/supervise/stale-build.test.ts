import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isStale } from "./stale-build";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "floodgate-stale-"));
  touch("src/a.ts", 100);
  touch("src/deep/b.ts", 200);
  touch("package-lock.json", 150);
  touch("dist/server.js", 300);
  touch("dist/relay.js", 300);
});
afterEach(() => rmSync(root, { recursive: true }));

function touch(path: string, at: number): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), "");
  utimesSync(join(root, path), at, at);
}

const stale = (outputs = ["dist/server.js", "dist/relay.js"]) =>
  isStale(root, outputs, ["src", "package-lock.json", "not-there.mjs"]);

test("outputs newer than every input are current", () => expect(stale()).toBe(false));

test("a missing output is stale, an empty folder too", () => {
  mkdirSync(join(root, "empty"));
  expect(stale(["dist/server.js", "dist/migrate.js"])).toBe(true);
  expect(stale(["dist/server.js", "empty"])).toBe(true);
});

test("one newer input, however deep, makes the outputs stale", () => {
  touch("src/deep/deeper/c.ts", 400);
  expect(stale()).toBe(true);
});

test("the oldest output counts", () => {
  touch("dist/relay.js", 199);
  expect(stale()).toBe(true);
});

test("generated code and tests are no inputs", () => {
  for (const path of ["src/store/generated/client.ts", "src/a.test.ts", "src/testing/x.ts"]) touch(path, 400);
  expect(stale()).toBe(false);
});
