import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureChromium } from "./ensure-chromium";
import { type RunSummary, readSummary, summaryEnv } from "./summary/run-summary";

/**
 * `npm test`: unit, database and browser tests, one after the other. Everything runs even if something
 * failed before. At the end stand the names of what failed, then a line that counts them all.
 */
const root = join(import.meta.dirname, "../..");
const reporter = (name: string) => join(import.meta.dirname, "summary", name);
const folder = mkdtempSync(join(tmpdir(), "floodgate-tests-"));

async function run(command: string, args: string[], env: Record<string, string> = {}): Promise<number> {
  console.log(`\n> ${[command, ...args].join(" ")}`);
  const child = spawn(command, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } });
  const [status] = (await once(child, "exit")) as [number | null];
  return status ?? 1;
}

async function vitest(): Promise<RunSummary> {
  const summary = join(folder, "vitest.json");
  const projects = ["--project", "unit", "--project", "db"];
  const reporters = ["--reporter", "default", "--reporter", reporter("vitest-reporter.ts")];
  const args = ["vitest", "run", "--config", "src/testing/vitest.config.ts"];
  const status = await run("npx", args.concat(projects, reporters), summaryEnv(summary));
  return readSummary("unit and database tests", summary, status);
}

async function playwright(): Promise<RunSummary> {
  const summary = join(folder, "playwright.json");
  const reporters = `list,${reporter("playwright-reporter.ts")}`;
  const args = ["playwright", "test", "--config", "e2e/playwright.config.ts", "--reporter", reporters];
  const status = await run("npx", args, summaryEnv(summary));
  return readSummary("browser tests", summary, status);
}

/** The pages are built, and the browser is installed, while the tests without a browser run. */
const prepared = Promise.all([ensureChromium(), run("npm", ["run", "build:app"])]);
const summaries = [await vitest()];
const [, built] = await prepared;
summaries.push(
  built === 0
    ? await playwright()
    : { passed: 0, skipped: 0, failed: [`the build ended with ${built}`], flaky: [] },
);
rmSync(folder, { recursive: true, force: true });

const failed = summaries.flatMap(summary => summary.failed);
const flaky = summaries.flatMap(summary => summary.flaky);
const sum = (read: (summary: RunSummary) => number) =>
  summaries.reduce((total, summary) => total + read(summary), 0);
const passed = sum(summary => summary.passed);
const skipped = sum(summary => summary.skipped);

if (flaky.length > 0) console.log(`\nPassed at the second try only:\n  ${flaky.join("\n  ")}`);
if (failed.length > 0) console.log(`\nFailed:\n  ${failed.join("\n  ")}`);
console.log(`\n${passed} passed, ${failed.length} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exitCode = failed.length > 0 || passed === 0 ? 1 : 0;
