import type { KeyChoice, ScenarioFigures } from "../../../domain/lab/scenario";
import type { LabRunView } from "../contract";

/** `idle`: nobody has asked; `waits`: it has not begun; `missed`: the run ended before it; `never`: it was left out. */
export type CardState = "idle" | "waits" | "runs" | "ended" | "missed" | "never";

/** How far a scenario of a run is, and what is known of it by now. */
export function stateIn(
  run: LabRunView | null,
  choice: KeyChoice,
): { state: CardState; figures: ScenarioFigures | null } {
  if (!run) return { state: "idle", figures: null };
  const ended = run.results[choice];
  // What is lost is known at the end only, and stands in the result.
  if (ended) return { state: "ended", figures: { ...ended.figures, ...ended.result } };
  if (run.progress?.choice === choice) return { state: "runs", figures: run.progress.figures };
  if (!run.choices.includes(choice)) return { state: "never", figures: null };
  const isOpen = run.state === "requested" || run.state === "running";
  return { state: isOpen ? "waits" : "missed", figures: null };
}
