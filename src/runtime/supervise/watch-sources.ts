import { watch } from "node:fs";

/** Pages and components reload themselves; tests and benchmarks are no part of a running process. */
const IGNORED = /^(app|ui|testing|bench)[/\\]|\.test\.tsx?$|^$/;
/** An editor's save and a generator's output are many events. */
const SETTLE_MS = 200;

/** Calls `onChange` after source files in `dir` changed that a running server has loaded. */
export function watchSources(dir: string, onChange: (file: string) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(dir, { recursive: true }, (_event, file) => {
    if (file === null || IGNORED.test(file) || !/\.(ts|tsx|json|lua|sql)$/.test(file)) return;
    clearTimeout(timer);
    timer = setTimeout(() => onChange(file), SETTLE_MS);
  });
  // A folder that vanishes while it is watched is no reason to end.
  watcher.on("error", () => {});
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}
