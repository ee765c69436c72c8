import { useMemo } from "react";
import { KEY_CHOICES, type ScenarioOptions } from "../../../domain/lab/scenario";
import type { LabRunView } from "../contract";
import { stateIn } from "./card-state";
import { MEASURES, topOf } from "./measures";
import { ScenarioCard } from "./scenario-card";

type ScenarioCardsProps = {
  /** Null: no run yet. */
  run: LabRunView | null;
  /** The options of the next run. */
  options: ScenarioOptions;
};

/** The four choices of keys side by side, on one scale. */
export function ScenarioCards({ run, options }: ScenarioCardsProps) {
  const shown = useMemo(() => KEY_CHOICES.map(choice => ({ choice, ...stateIn(run, choice) })), [run]);
  const tops = useMemo(() => {
    const all = shown.map(({ figures }) => figures);
    return new Map(MEASURES.map(measure => [measure.id, topOf(measure, all)]));
  }, [shown]);
  const of = run?.options ?? options;
  return (
    <div className="lab-cards">
      {shown.map(({ choice, state, figures }) => (
        <ScenarioCard
          key={choice}
          choice={choice}
          state={state}
          figures={figures}
          tops={tops}
          options={of}
          seconds={
            state === "running" ? Math.min(of.seconds, (run?.progress?.elapsedMs ?? 0) / 1_000) : of.seconds
          }
        />
      ))}
    </div>
  );
}
