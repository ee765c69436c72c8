import { boundProblem, LAB_BOUNDS, LAB_DEFAULTS, type LabBound } from "../../../domain/lab/lab-run";
import { fillingRate, type ScenarioOptions } from "../../../domain/lab/scenario";
import { SYMBOL_PATTERN } from "../../../domain/orders/symbol-pattern";

/** As typed; null: not edited. */
export type LabDraft = { symbol: string | null } & Record<LabBound, string | null>;

export type ReadDraft = {
  values: ScenarioOptions;
  problems: Partial<Record<LabBound | "symbol", string>>;
};

/** The options of a draft, and its problems. A rate that is not edited follows the shards: all busy, none full. */
export function readDraft(draft: LabDraft): ReadDraft {
  const problems: ReadDraft["problems"] = {};
  const number = (name: LabBound, fallback: number) => {
    const text = draft[name];
    const value = text === null ? fallback : /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : Number.NaN;
    const problem = boundProblem(name, value);
    if (problem) problems[name] = problem;
    return value;
  };
  const symbol = (draft.symbol ?? LAB_DEFAULTS.symbol).trim().toUpperCase();
  if (!SYMBOL_PATTERN.test(symbol)) problems.symbol = "1 to 12 capital letters and digits.";
  const shards = number("shards", LAB_DEFAULTS.shards);
  const values = {
    symbol,
    shards,
    seconds: number("seconds", LAB_DEFAULTS.seconds),
    rate: number("rate", Number.isNaN(shards) ? LAB_DEFAULTS.rate : cap(fillingRate(shards))),
    producers: number("producers", LAB_DEFAULTS.producers),
    seed: number("seed", LAB_DEFAULTS.seed),
  };
  return { values, problems };
}

const cap = (rate: number) => Math.max(LAB_BOUNDS.rate.min, Math.min(LAB_BOUNDS.rate.max, rate));
