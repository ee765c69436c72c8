import type { KeyChoice, ScenarioFigures, ScenarioOptions, ScenarioResult } from "./scenario";
import { fillingRate } from "./scenario";

/**
 *   requested ──a worker claims it──▶ running ──all measured──▶ done
 *       │                              │
 *       ├──────── cancel ──────────────┴──▶ cancelled
 *       └── no worker claims it, or its worker is gone ──▶ failed
 */
export type LabRunState = "requested" | "running" | "done" | "cancelled" | "failed";

const NEXT: Record<LabRunState, readonly LabRunState[]> = {
  requested: ["running", "cancelled", "failed"],
  running: ["done", "cancelled", "failed"],
  done: [],
  cancelled: [],
  failed: [],
};

export const canRunBecome = (from: LabRunState, to: LabRunState): boolean => NEXT[from].includes(to);
export const isOpenRun = (state: LabRunState): boolean => NEXT[state].length > 0;

/** The limits of one run, which uses the product's own Redis. Whole numbers, ends included. */
export const LAB_BOUNDS = {
  /** Orders per second. */
  rate: { min: 100, max: 10_000 },
  seconds: { min: 4, max: 20 },
  shards: { min: 2, max: 10 },
  producers: { min: 1, max: 8 },
  seed: { min: 0, max: 1_000_000 },
} as const;
export type LabBound = keyof typeof LAB_BOUNDS;

export const LAB_DEFAULTS: ScenarioOptions = {
  symbol: "DOGE",
  rate: fillingRate(5),
  seconds: 5,
  shards: 5,
  producers: 4,
  seed: 1,
};

/** Why the number is refused; undefined: it is allowed. */
export function boundProblem(name: LabBound, value: number): string | undefined {
  const { min, max } = LAB_BOUNDS[name];
  if (Number.isInteger(value) && value >= min && value <= max) return undefined;
  return `${LAB_WORDS[name]}: a whole number from ${min.toLocaleString("en")} to ${max.toLocaleString("en")}.`;
}

export const LAB_WORDS: Record<LabBound, string> = {
  rate: "Orders per second",
  seconds: "Seconds per scenario",
  shards: "Shards",
  producers: "Producers",
  seed: "Seed",
};

export type LabResult = { result: ScenarioResult; figures: ScenarioFigures };
export type LabResults = Partial<Record<KeyChoice, LabResult>>;
/** The scenario that runs at the moment. */
export type LabProgress = { choice: KeyChoice; elapsedMs: number; figures: ScenarioFigures | null };
