import type { FullResult, Reporter, Suite, TestError } from "@playwright/test/reporter";
import { describeFailure, type RunSummary, writeSummary } from "./run-summary";

/** Writes the summary of a run of Playwright. */
export default class PlaywrightReporter implements Reporter {
  private root: Suite | undefined;
  private readonly errors: string[] = [];

  onBegin(_config: unknown, root: Suite): void {
    this.root = root;
  }

  onError(error: TestError): void {
    this.errors.push(`browser tests: ${error.message ?? "an error outside of any test"}`);
  }

  onEnd(_result: FullResult): void {
    const summary: RunSummary = { passed: 0, skipped: 0, failed: [...this.errors], flaky: [] };
    for (const test of this.root?.allTests() ?? []) {
      const name = test.titlePath().filter(Boolean).join(" › ");
      const outcome = test.outcome();
      if (outcome === "unexpected") {
        const messages = test.results.map(({ error }) => error?.message);
        summary.failed.push(describeFailure(name, messages));
      } else if (outcome === "skipped") summary.skipped++;
      else summary.passed++;
      if (outcome === "flaky") summary.flaky.push(name);
    }
    writeSummary(summary);
  }
}
