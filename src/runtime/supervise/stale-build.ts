import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Generated code is an output, and tests are no part of a build. */
const IGNORED =
  /(^|\/)(src\/store\/generated|src\/testing|src\/bench)(\/|$)|\.test\.tsx?$|^src\/filter\/build\/kernel\.wasm$/;

/**
 * True when an output is missing or older than the newest input. Paths are relative to `root`;
 * a folder stands for its newest file.
 */
export function isStale(root: string, outputs: string[], inputs: string[]): boolean {
  const builtAt = Math.min(...outputs.map(path => Math.max(...timesOf(root, path, false))));
  const changedAt = Math.max(...inputs.flatMap(path => timesOf(root, path, true)));
  return !Number.isFinite(builtAt) || builtAt < changedAt;
}

/** Modification times; a missing or empty path gives none, and `Math.max()` of none is -Infinity. */
function timesOf(root: string, path: string, isInput: boolean): number[] {
  if (isInput && IGNORED.test(path)) return [];
  const stat = statSync(join(root, path), { throwIfNoEntry: false });
  if (stat === undefined) return [];
  if (!stat.isDirectory()) return [stat.mtimeMs];
  return readdirSync(join(root, path)).flatMap(name => timesOf(root, `${path}/${name}`, isInput));
}
