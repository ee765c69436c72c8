import type { VersionStatus } from "../contract";
import { Choice } from "../parts/choice";
import type { Ask } from "./disabled-reason";
import type { Draft } from "./draft";
import { Gates } from "./gates-panel";

type DraftFieldsProps = {
  ask: Ask;
  of?: VersionStatus;
  draft: Draft;
  onDraft: (change: Partial<Draft>) => void;
};

/** What has to be seen or chosen before one decision. */
export function DraftFields({ ask, of, draft, onDraft }: DraftFieldsProps) {
  switch (ask) {
    case "promote":
      return of ? <PromoteFields of={of} draft={draft} onDraft={onDraft} /> : null;
    case "setTraffic":
      return <TrafficFields draft={draft} onDraft={onDraft} />;
    case "arm":
      return (
        <Choice
          label="Until when"
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
          label="How thoroughly"
          value={draft.scope}
          options={[
            {
              value: "sample",
              text: "A sample",
              description: "bounds missing names below 1e-5, takes seconds",
            },
            {
              value: "every-row",
              text: "Every row",
              description: "takes as long as reading the whole table",
            },
          ]}
          onValue={scope => onDraft({ scope })}
        />
      );
    case "schedule":
      return (
        <Choice
          label="How often"
          value={draft.everyHours}
          options={[
            { value: null, text: "Never by itself" },
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
            Promote without comparing reads{" "}
            <span className="text-soft">there is no data, and it would only show a name that is missing</span>
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
        label="Canary: percentage of reads that it answers"
        inline
        value={draft.canaryPercent}
        options={percents(draft.canaryPercent)}
        onValue={canaryPercent => onDraft({ canaryPercent })}
      />
      <Choice
        label="Shadow: percentage of reads that ask both versions"
        inline
        value={draft.shadowPercent}
        options={percents(draft.shadowPercent)}
        onValue={shadowPercent => onDraft({ shadowPercent })}
      />
    </>
  );
}

const PERCENTS = [0, 1, 5, 10, 25, 50, 100];

/** A share that a script has set is offered as well. */
function percents(now: number) {
  const all = PERCENTS.includes(now) ? PERCENTS : [...PERCENTS, now].toSorted((a, b) => a - b);
  return all.map(value => ({ value, text: `${value} %` }));
}

const OFFERED = [24, 168, 720];
const otherHours = (now: number | null) =>
  now === null || OFFERED.includes(now) ? [] : [{ value: now, text: `Every ${now} h` }];
