import type { OnProblem } from "./shard-reader";

const EVERY_MS = 10_000;

/**
 * Passes on the first problem of its kind in ten seconds, and how many there were since the last one:
 * hundreds of shards have the same trouble at once. Numbers in the text make no other kind.
 */
export function thinProblems(onProblem: OnProblem, nowMs: () => number = Date.now): OnProblem {
  const kinds = new Map<string, { toldMs: number; untold: number }>();
  return (what, error) => {
    const kind = what.replace(/\d+/g, "#");
    const known = kinds.get(kind);
    if (known && nowMs() - known.toldMs < EVERY_MS) {
      known.untold += 1;
      return;
    }
    kinds.set(kind, { toldMs: nowMs(), untold: 0 });
    onProblem(known?.untold ? `${what}; ${known.untold} more like it` : what, error);
  };
}
