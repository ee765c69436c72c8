import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureChromium } from "./ensure-chromium";

/**
 * `npm test`: unit, database and browser tests, one after the other, and a last line that counts
 * them all. Everything runs even if something failed before; the exit code reports failures.
 */
const root = join(import.meta.dirname, "../..");
const reports = mkdtempSync(join(tmpdir(), "floodgate-reports-"));

type Counts = { passed: number; failed: number; skipped: number; flaky: number };

function run(command: string, args: string[], env: Record<string, string> = {}): number {
  console.log(`\n> ${[command, ...args].join(" ")}`);
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  return status ?? 1;
}

/** A runner that ends without a readable report counts as one failure. */
function count(file: string, status: number, read: (report: never) => Counts): Counts {
  try {
    const counts = read(JSON.parse(readFileSync(file, "utf8")) as never);
    const missed = status !== 0 && counts.failed === 0 ? 1 : 0;
    return { ...counts, failed: counts.failed + missed };
  } catch {
    return { passed: 0, failed: 1, skipped: 0, flaky: 0 };
  }
}

const vitestReport = join(reports, "vitest.json");
const vitest = run("npx", [
  "vitest",
  "run",
  "--config",
  "src/testing/vitest.config.ts",
  "--project",
  "unit",
  "--project",
  "db",
  "--reporter",
  "default",
  "--reporter",
  "json",
  "--outputFile.json",
  vitestReport,
]);

const playwrightReport = join(reports, "playwright.json");
await ensureChromium();
const built = run("npm", ["run", "build"]);
const playwright =
  built === 0
    ? run("npx", ["playwright", "test", "--config", "e2e/playwright.config.ts", "--reporter", "list,json"], {
        PLAYWRIGHT_JSON_OUTPUT_FILE: playwrightReport,
      })
    : built;

const totals = [
  count(
    vitestReport,
    vitest,
    (report: { numPassedTests: number; numFailedTests: number; numPendingTests: number }) => ({
      passed: report.numPassedTests,
      failed: report.numFailedTests,
      skipped: report.numPendingTests,
      flaky: 0,
    }),
  ),
  count(
    playwrightReport,
    playwright,
    (report: { stats: { expected: number; unexpected: number; flaky: number; skipped: number } }) => ({
      passed: report.stats.expected + report.stats.flaky,
      failed: report.stats.unexpected,
      skipped: report.stats.skipped,
      flaky: report.stats.flaky,
    }),
  ),
].reduce((a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
  flaky: a.flaky + b.flaky,
}));

rmSync(reports, { recursive: true, force: true });
const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : "";
if (totals.flaky > 0) console.log(`\n${totals.flaky} of them passed at the second try only: see above`);
console.log(`\n${totals.passed} passed, ${totals.failed} failed${skipped}`);
process.exitCode = totals.failed > 0 || totals.passed === 0 ? 1 : 0;
