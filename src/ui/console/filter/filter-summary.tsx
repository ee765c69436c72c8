import { Undo2 } from "lucide-react";
import { pendingText } from "../../../domain/filter/outbox-limit";
import type { FilterStatus, MapCell, VersionStatus } from "../contract";
import { SummaryFigure, SummaryWord } from "../parts/status-summary";
import { Bake } from "./bake";
import { ChangeButton, type OnChange } from "./change-button";
import { Servers } from "./servers";
import { slotsOf } from "./slots";
import { summarizeFilter } from "./summarize-filter";
import { TrafficPanel } from "./traffic-panel";

type FilterSummaryProps = {
  status: FilterStatus;
  /** Of the active version. */
  cells?: MapCell[];
  /** The last read failed, so the figures are out of date. */
  isOld: boolean;
  onChange: OnChange;
};

/** The active version, its shards, servers and bake, and the rollback. */
export function FilterSummary({ status, cells, isOld, onChange }: FilterSummaryProps) {
  const { state, word, parts } = summarizeFilter(status, cells);
  const { active, previous } = slotsOf(status);
  return (
    <section className="panel mb-3" aria-label="Status summary">
      <div className="filter-status">
        <div className="min-w-0">
          <SummaryWord state={isOld ? "unknown" : state} word={isOld ? `Out of date: ${word}` : word} />
          <dl className="mt-1.5 flex flex-wrap gap-x-6 gap-y-1">
            {parts.map(part => (
              <SummaryFigure key={part.title} {...part} />
            ))}
            <Bake active={active} previous={previous} />
          </dl>
        </div>
        <div className="filter-rollback">
          <ChangeButton change="rollback" status={status} of={previous} onChange={onChange}>
            <Undo2 size={15} aria-hidden="true" />
            {previous ? `Roll back to v${previous.version}` : "Roll back"}
          </ChangeButton>
          <p className="text-[0.8125rem] text-soft">{rollbackText(previous, status.pendingEvents)}</p>
        </div>
      </div>
      <div className="filter-reads">
        <TrafficPanel status={status} />
        <Servers readers={status.readers} pointer={status.pointer} />
      </div>
    </section>
  );
}

function rollbackText(previous: VersionStatus | undefined, pendingEvents: number): string {
  if (!previous) return "No previous version";
  if (previous.failure) return `v${previous.version} has failed`;
  const events = pendingEvents === 1 ? "event" : "events";
  return `v${previous.version} is ${pendingText(pendingEvents)} ${events} behind`;
}
