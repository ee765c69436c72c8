import { relative } from "node:path";
import type { Reporter, TestCase, TestModule } from "vitest/node";
import { describeFailure, type RunSummary, writeSummary } from "./run-summary";

/** Writes the summary of a run of Vitest. A file that can't be loaded is a failure of its own. */
export default class VitestReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const summary: RunSummary = { passed: 0, skipped: 0, failed: [], flaky: [] };
    for (const module of modules) {
      const file = relative(process.cwd(), module.moduleId);
      for (const error of module.errors()) summary.failed.push(`${file}: ${error.message}`);
      for (const test of module.children.allTests()) add(summary, file, test);
      for (const suite of module.children.allSuites())
        for (const error of suite.errors())
          summary.failed.push(`${file} › ${suite.fullName}: ${error.message}`);
    }
    if (unhandledErrors.length > 0)
      summary.failed.push(`${unhandledErrors.length} errors outside of any test`);
    writeSummary(summary);
  }
}

function add(summary: RunSummary, file: string, test: TestCase): void {
  const name = `${file} › ${test.fullName}`;
  const { state, errors = [] } = test.result();
  if (state === "passed") {
    summary.passed++;
    if (test.diagnostic()?.flaky) summary.flaky.push(name);
  } else if (state === "failed") {
    const messages = errors.map(({ message }) => message);
    summary.failed.push(describeFailure(name, messages));
  } else summary.skipped++;
}
