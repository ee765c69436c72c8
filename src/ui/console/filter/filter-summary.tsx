import { Undo2 } from "lucide-react";
import type { FilterStatus, MapCell, VersionStatus } from "../contract";
import { formatCount } from "../parts/format";
import { SummaryFigure, SummaryWord } from "../parts/status-summary";
import { AskButton, type OnAsk } from "./ask-button";
import { Bake } from "./bake";
import { Servers } from "./servers";
import { slotsOf } from "./slots";
import { summaryOf } from "./summary-of";
import { TrafficPanel } from "./traffic-panel";

type FilterSummaryProps = {
  status: FilterStatus;
  /** Of the active version. */
  cells?: MapCell[];
  /** The last look failed: what is shown was true a while ago. */
  isOld: boolean;
  onAsk: OnAsk;
};

/** Which version answers, is it whole, do all servers follow, is a bake running; and the way back. */
export function FilterSummary({ status, cells, isOld, onAsk }: FilterSummaryProps) {
  const { state, word, parts } = summaryOf(status, cells);
  const { active, previous } = slotsOf(status);
  return (
    <section className="panel mb-3" aria-label="Is it all right?">
      <div className="filter-answer">
        <div className="min-w-0">
          <SummaryWord state={isOld ? "unknown" : state} word={isOld ? `A while ago: ${word}` : word} />
          <dl className="mt-1.5 flex flex-wrap gap-x-6 gap-y-1">
            {parts.map(part => (
              <SummaryFigure key={part.title} {...part} />
            ))}
            <Bake active={active} previous={previous} />
          </dl>
        </div>
        <div className="filter-way-back">
          <AskButton ask="rollback" status={status} of={previous} onAsk={onAsk}>
            <Undo2 size={15} aria-hidden="true" />
            {previous ? `Roll back to v${previous.version}` : "Roll back"}
          </AskButton>
          <p className="text-[0.8125rem] text-soft">{wayBackText(previous, status.pendingEvents)}</p>
        </div>
      </div>
      <div className="filter-reads">
        <TrafficPanel status={status} />
        <Servers readers={status.readers} pointer={status.pointer} />
      </div>
    </section>
  );
}

function wayBackText(previous: VersionStatus | undefined, pendingEvents: number): string {
  if (!previous) return "No version is kept";
  if (previous.failure) return `v${previous.version} was left because of a fault`;
  const events = pendingEvents === 1 ? "event" : "events";
  return `v${previous.version} is ${formatCount(pendingEvents)} ${events} behind`;
}
