/** What the worker says about its work. It may know each of these or not, and say more than these. */
export type Progress = {
  phase?: string;
  rows?: number;
  /** Of the users table, when the work began. */
  estimatedRows?: number;
  bytes?: number;
  shardsLoaded?: number;
  namesInserted?: number;
  checked?: number;
  /** Why it holds itself back; null while it does not. */
  throttle?: string | null;
  attempts?: number;
  lastError?: string;
  /** When it last said something; ISO 8601. */
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

/** A field of an unexpected kind is left out. By hand, since zod would double the page's own script. */
export function readProgress(progress: Record<string, unknown>): Progress {
  const isKnown = ([key, kind]: [string, string]) =>
    typeof progress[key] === kind || (key === "throttle" && progress[key] === null);
  return Object.fromEntries(
    Object.entries(KINDS)
      .filter(isKnown)
      .map(([key]) => [key, progress[key]]),
  );
}
