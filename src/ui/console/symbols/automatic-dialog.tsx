import { useId, useState } from "react";
import { consoleApi } from "../console-api";
import type { SymbolRow } from "../contract";
import { Choice } from "../parts/choice";
import { FormDialog } from "../parts/form-dialog";
import { ReasonField } from "../parts/reason-field";
import { type AutomaticDraft, automaticInput, boundProblem, boundsFor, draftFrom } from "./automatic-draft";

type AutomaticDialogProps = { row: SymbolRow; shardCount: number; onClose: () => void };

/** Whether the symbol may be split without a trader, and within which bounds. */
export function AutomaticDialog({ row, shardCount, onClose }: AutomaticDialogProps) {
  // The change refers to the row that the trader decided on, not to a newer one.
  const [seen] = useState(row);
  const [draft, setDraft] = useState(() => draftFrom(row));
  const [reason, setReason] = useState("");
  const { symbol } = seen;
  const onDraft = (part: Partial<AutomaticDraft>) => setDraft(now => ({ ...now, ...part }));
  return (
    <FormDialog
      title={`Automatic mode of ${symbol}`}
      action="symbol.setAutomatic"
      verb={`Turn automatic mode ${draft.on ? "on" : "off"}`}
      disabledReason={
        draftProblem(draft, seen, shardCount) ??
        (reason.trim() === "" ? "Write the reason first." : undefined)
      }
      run={() => consoleApi.symbol.setAutomatic.mutate(automaticInput(draft, seen, reason))}
      done={`Automatic mode of ${symbol} is ${draft.on ? "on" : "off"}`}
      refresh={["symbol.page"]}
      onClose={onClose}
    >
      <p className="consequence" data-tone={draft.on ? "warning" : "unknown"}>
        {draft.on
          ? `Automatic mode splits ${symbol} when a split is proposed, and merges it after a calm minute, without approval. It never changes a split that a trader made. The last change of each hour is kept for a split. The audit log has each change with its evidence.`
          : `Suggestions for ${symbol} wait for a trader. The current split does not change.`}
      </p>
      <Choice
        label={`Splits of ${symbol}`}
        inline
        value={draft.on ? "on" : "off"}
        options={[
          { value: "off", text: "by traders only" },
          { value: "on", text: "by traders and automatically" },
        ]}
        onValue={value => onDraft({ on: value === "on" })}
      />
      {draft.on && <BoundFields draft={draft} shardCount={shardCount} onDraft={onDraft} />}
      <ReasonField isFirst value={reason} onValue={setReason} />
    </FormDialog>
  );
}

function draftProblem(draft: AutomaticDraft, { automatic }: SymbolRow, shardCount: number) {
  if (!draft.on) return automatic.on ? undefined : "Automatic mode is off already.";
  return boundsFor(shardCount)
    .map(one => boundProblem(draft[one.bound], one))
    .find(text => text !== undefined);
}

type BoundFieldsProps = {
  draft: AutomaticDraft;
  shardCount: number;
  onDraft: (part: Partial<AutomaticDraft>) => void;
};

function BoundFields({ draft, shardCount, onDraft }: BoundFieldsProps) {
  return (
    <div className="grid gap-2">
      {boundsFor(shardCount).map(one => (
        <BoundField
          key={one.bound}
          label={one.label}
          unit={one.unit}
          text={draft[one.bound]}
          problem={boundProblem(draft[one.bound], one)}
          onText={text => onDraft({ [one.bound]: text })}
        />
      ))}
    </div>
  );
}

type BoundFieldProps = {
  label: string;
  unit: string;
  text: string;
  problem?: string;
  onText: (text: string) => void;
};

function BoundField({ label, unit, text, problem, onText }: BoundFieldProps) {
  const id = useId();
  return (
    <div className="grid grid-cols-[8.5rem_minmax(0,1fr)] items-center gap-x-2">
      <label className="text-soft" htmlFor={id}>
        {label}
      </label>
      <span className="flex items-center gap-2">
        <input
          id={id}
          className="input max-w-18 text-right"
          inputMode="numeric"
          autoComplete="off"
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-unit`}
          value={text}
          onChange={event => onText(event.target.value)}
        />
        <span id={`${id}-unit`} className={problem ? "text-[0.8125rem] text-critical" : "text-soft"}>
          {problem ?? unit}
        </span>
      </span>
    </div>
  );
}
