import { onTestFinished } from "vitest";

/** Uncaught errors of the test: each would have ended a process in production. */
export function collectUncaught(): unknown[] {
  const uncaught: unknown[] = [];
  const collect = (error: unknown) => void uncaught.push(error);
  process.on("uncaughtException", collect);
  onTestFinished(() => void process.off("uncaughtException", collect));
  return uncaught;
}
