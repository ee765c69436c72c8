import { useId } from "react";
import type { KeyChoice, ScenarioFigures, ScenarioOptions } from "../../../domain/lab/scenario";
import { StateBadge } from "../parts/state-badge";
import type { CardState } from "./card-state";
import { describeScenario, SCENARIO_TITLES, verdictOf } from "./describe-scenario";
import { MEASURES, type Measure } from "./measures";
import { ShardBars } from "./shard-bars";

type ScenarioCardProps = {
  choice: KeyChoice;
  state: CardState;
  figures: ScenarioFigures | null;
  options: ScenarioOptions;
  /** The time for which orders have been sent. */
  seconds: number;
  tops: ReadonlyMap<Measure["id"], number>;
};

/** The outcome of one scenario: its shards and figures, on a scale that all scenarios share. */
export function ScenarioCard({ choice, state, figures, options, seconds, tops }: ScenarioCardProps) {
  const id = useId();
  const { title, how } = SCENARIO_TITLES[choice];
  return (
    <section className="panel lab-card" aria-labelledby={id} data-state={state}>
      <header>
        <h2 id={id}>{title}</h2>
        <p className="text-[0.8125rem] text-soft">{how}</p>
      </header>
      <p>
        <Verdict state={state} figures={figures} />
      </p>
      <ShardBars records={figures?.recordsPerShard ?? null} seconds={seconds} />
      <dl className="lab-measures">
        {MEASURES.map(measure => (
          <MeasureRow
            key={measure.id}
            measure={measure}
            value={figures?.[measure.id] ?? null}
            top={tops.get(measure.id) ?? 0}
          />
        ))}
      </dl>
      <p className="lab-words text-soft">
        {figures && state === "ended" ? describeScenario(choice, figures, options) : STATE_TEXTS[state]}
      </p>
    </section>
  );
}

const STATE_TEXTS: Record<CardState, string> = {
  idle: "Not run yet.",
  queued: "Waiting for its turn.",
  running: "Figures so far. The throughput is measured after the first burst.",
  ended: "",
  missed: "The run ended before this scenario.",
  excluded: "Not part of this run.",
};

function Verdict({ state, figures }: { state: CardState; figures: ScenarioFigures | null }) {
  if (state === "running") return <StateBadge state="unknown" word="Running" />;
  if (state === "ended" && figures) return <StateBadge {...verdictOf(figures)} />;
  return <StateBadge state="unknown" word={state === "queued" ? "Queued" : "Not run"} />;
}

type MeasureRowProps = { measure: Measure; value: number | null; top: number };

function MeasureRow({ measure, value, top }: MeasureRowProps) {
  const { title, about, text, isFault } = measure;
  const part = value === null || top === 0 ? 0 : value / top;
  return (
    <div title={about} data-fault={(isFault && value) || undefined}>
      <dt>{title}</dt>
      <dd>{value === null ? <span className="no-data">no data</span> : text(value)}</dd>
      <span className="lab-bar" aria-hidden="true" style={{ "--part": part } as React.CSSProperties} />
    </div>
  );
}
