/** The progress that the worker reports. Every field is optional, and there may be others. */
export type Progress = {
  phase?: string;
  rows?: number;
  /** Of the users table, at the start of the work. */
  estimatedRows?: number;
  bytes?: number;
  shardsLoaded?: number;
  namesInserted?: number;
  checked?: number;
  /** Why the worker is throttled; null while it is not. */
  throttle?: string | null;
  attempts?: number;
  lastError?: string;
  /** Time of the last report; ISO 8601. */
  at?: string;
  builtAt?: string;
};

const KINDS: Record<keyof Progress, "number" | "string"> = {
  phase: "string",
  rows: "number",
  estimatedRows: "number",
  bytes: "number",
  shardsLoaded: "number",
  namesInserted: "number",
  checked: "number",
  throttle: "string",
  attempts: "number",
  lastError: "string",
  at: "string",
  builtAt: "string",
};

/** Drops fields of another type. Without zod, which would double the script of the page. */
export function readProgress(progress: Record<string, unknown>): Progress {
  const isKnown = ([key, kind]: [string, string]) =>
    typeof progress[key] === kind || (key === "throttle" && progress[key] === null);
  return Object.fromEntries(
    Object.entries(KINDS)
      .filter(isKnown)
      .map(([key]) => [key, progress[key]]),
  );
}
