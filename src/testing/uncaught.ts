import { onTestFinished } from "vitest";

/** Errors nobody caught while the test runs: each would have ended a process of ours. */
export function collectUncaught(): unknown[] {
  const uncaught: unknown[] = [];
  const collect = (error: unknown) => void uncaught.push(error);
  process.on("uncaughtException", collect);
  onTestFinished(() => void process.off("uncaughtException", collect));
  return uncaught;
}
