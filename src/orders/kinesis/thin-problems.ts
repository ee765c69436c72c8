import type { OnProblem } from "./shard-reader";

const EVERY_MS = 10_000;

/**
 * Passes on one problem of each phrase in ten seconds, and how many were suppressed since the one before:
 * hundreds of shards may have the same problem at once.
 */
export function thinProblems(onProblem: OnProblem, nowMs: () => number = Date.now): OnProblem {
  const known = new Map<string, { reportedMs: number; suppressed: number }>();
  return (phrase, fields) => {
    const last = known.get(phrase);
    if (last && nowMs() - last.reportedMs < EVERY_MS) {
      last.suppressed += 1;
      return;
    }
    known.set(phrase, { reportedMs: nowMs(), suppressed: 0 });
    onProblem(phrase, last?.suppressed ? { ...fields, suppressed: last.suppressed } : fields);
  };
}
