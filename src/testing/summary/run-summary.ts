import { readFileSync, writeFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

/** What one runner says when it is through. Names are those of a test, with its file; `failed` adds the reasons. */
export type RunSummary = {
  passed: number;
  skipped: number;
  failed: string[];
  /** Passed at the second try only; they count as passed. */
  flaky: string[];
};

/** A failed test with the start of what each try said, since the log of a long run is often cut. */
export function describeFailure(name: string, messages: readonly (string | undefined)[]): string {
  const lines = messages.flatMap(message => stripVTControlCharacters(message ?? "no message").split("\n", 6));
  return [name, ...lines.filter(line => line.trim() !== "")].join("\n      ");
}

/** Where the runner's reporter writes its summary, as JSON. */
const FILE_VARIABLE = "TEST_SUMMARY_FILE";

export const summaryEnv = (file: string): Record<string, string> => ({ [FILE_VARIABLE]: file });

/** For reporters. Without a file, as in a run by hand, nothing is written. */
export function writeSummary(summary: RunSummary): void {
  const file = process.env[FILE_VARIABLE];
  if (file) writeFileSync(file, JSON.stringify(summary));
}

/** A runner that ends badly without naming a failed test counts as one failure. */
export function readSummary(runner: string, file: string, status: number): RunSummary {
  let summary: RunSummary = { passed: 0, skipped: 0, failed: [], flaky: [] };
  try {
    summary = JSON.parse(readFileSync(file, "utf8")) as RunSummary;
  } catch {
    return { ...summary, failed: [`${runner}: it ended with ${status}, without a summary`] };
  }
  if (status === 0 || summary.failed.length > 0) return summary;
  return { ...summary, failed: [`${runner}: it ended with ${status}, and no test failed`] };
}
