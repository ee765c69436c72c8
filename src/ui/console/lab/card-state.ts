import type { KeyChoice, ScenarioFigures } from "../../../domain/lab/scenario";
import type { LabRunView } from "../contract";

/** `idle`: no run; `missed`: the run ended before this scenario; `excluded`: the run does not have it. */
export type CardState = "idle" | "queued" | "running" | "ended" | "missed" | "excluded";

/** The state of a scenario in a run, and its figures so far. */
export function stateIn(
  run: LabRunView | null,
  choice: KeyChoice,
): { state: CardState; figures: ScenarioFigures | null } {
  if (!run) return { state: "idle", figures: null };
  const ended = run.results[choice];
  // Only the result has the lost orders: they are known at the end.
  if (ended) return { state: "ended", figures: { ...ended.figures, ...ended.result } };
  if (run.progress?.choice === choice) return { state: "running", figures: run.progress.figures };
  if (!run.choices.includes(choice)) return { state: "excluded", figures: null };
  const isOpen = run.state === "requested" || run.state === "running";
  return { state: isOpen ? "queued" : "missed", figures: null };
}
