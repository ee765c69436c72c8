import type { VersionStatus } from "../contract";
import { Choice } from "../parts/choice";
import type { Draft } from "./draft";
import type { FilterChange } from "./filter-change";
import { Gates } from "./gates-panel";

type DraftFieldsProps = {
  change: FilterChange;
  of?: VersionStatus;
  draft: Draft;
  onDraft: (change: Partial<Draft>) => void;
};

/** The facts and choices of one change. */
export function DraftFields({ change, of, draft, onDraft }: DraftFieldsProps) {
  switch (change) {
    case "promote":
      return of ? <PromoteFields of={of} draft={draft} onDraft={onDraft} /> : null;
    case "setTraffic":
      return <TrafficFields draft={draft} onDraft={onDraft} />;
    case "arm":
      return (
        <Choice
          label="Time limit"
          inline
          value={draft.minutes}
          options={[15, 60, 240, 1_440].map(value => ({
            value,
            text: value < 60 ? `${value} min` : `${value / 60} h`,
          }))}
          onValue={minutes => onDraft({ minutes })}
        />
      );
    case "verify":
      return (
        <Choice
          label="Scope"
          value={draft.scope}
          options={[
            {
              value: "sample",
              text: "A sample",
              description: "takes seconds; proves that fewer than 1 in 100,000 names are missing",
            },
            {
              value: "every-row",
              text: "Every row",
              description: "reads the whole table",
            },
          ]}
          onValue={scope => onDraft({ scope })}
        />
      );
    case "schedule":
      return (
        <Choice
          label="Interval"
          value={draft.everyHours}
          options={[
            { value: null, text: "No schedule" },
            { value: 24, text: "Every day" },
            { value: 168, text: "Every week" },
            { value: 720, text: "Every 30 days" },
            ...otherHours(draft.everyHours),
          ]}
          onValue={everyHours => onDraft({ everyHours })}
        />
      );
    default:
      return null;
  }
}

type Fields = { draft: Draft; onDraft: (change: Partial<Draft>) => void };

function PromoteFields({ of, draft, onDraft }: Fields & { of: VersionStatus }) {
  const canWaive = of.gates.some(({ waivable, verdict }) => waivable && verdict === "no data");
  return (
    <>
      <div className="rounded border border-line">
        <Gates gates={of.gates} report={of.report} />
      </div>
      {canWaive && (
        <label className="flex items-baseline gap-2">
          <input type="checkbox" checked={draft.waive} onChange={() => onDraft({ waive: !draft.waive })} />
          <span>
            Promote without shadow reads <span className="text-soft">the gate has no data</span>
          </span>
        </label>
      )}
    </>
  );
}

function TrafficFields({ draft, onDraft }: Fields) {
  return (
    <>
      <Choice
        label="Canary: percentage of reads that this version answers"
        inline
        value={draft.canaryPercent}
        options={percents(draft.canaryPercent)}
        onValue={canaryPercent => onDraft({ canaryPercent })}
      />
      <Choice
        label="Shadow: percentage of reads that are compared in both versions"
        inline
        value={draft.shadowPercent}
        options={percents(draft.shadowPercent)}
        onValue={shadowPercent => onDraft({ shadowPercent })}
      />
    </>
  );
}

const PERCENTS = [0, 1, 5, 10, 25, 50, 100];

/** Includes the current percentage, which a script may have set. */
function percents(now: number) {
  const all = PERCENTS.includes(now) ? PERCENTS : [...PERCENTS, now].toSorted((a, b) => a - b);
  return all.map(value => ({ value, text: `${value} %` }));
}

const OFFERED = [24, 168, 720];
const otherHours = (now: number | null) =>
  now === null || OFFERED.includes(now) ? [] : [{ value: now, text: `Every ${now} h` }];
