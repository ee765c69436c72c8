import { useId } from "react";
import { LAB_WORDS, type LabBound } from "../../../domain/lab/lab-run";
import type { LabDraft, ReadDraft } from "./lab-draft";

type LabFieldsProps = {
  draft: LabDraft;
  read: ReadDraft;
  onDraft: (part: Partial<LabDraft>) => void;
};

const FIELDS: readonly LabBound[] = ["rate", "shards", "seconds", "producers", "seed"];

/** The traffic and the shards of a run, within the limits of the sandbox. */
export function LabFields({ draft, read: { values, problems }, onDraft }: LabFieldsProps) {
  return (
    <div className="lab-fields">
      <Field
        label="Symbol"
        text={draft.symbol ?? values.symbol}
        problem={problems.symbol}
        onText={symbol => onDraft({ symbol })}
      />
      {FIELDS.map(name => (
        <Field
          key={name}
          label={LAB_WORDS[name]}
          isNumber
          text={draft[name] ?? String(values[name])}
          problem={problems[name]}
          onText={text => onDraft({ [name]: text })}
        />
      ))}
    </div>
  );
}

type FieldProps = {
  label: string;
  text: string;
  problem?: string;
  isNumber?: boolean;
  onText: (text: string) => void;
};

function Field({ label, text, problem, isNumber, onText }: FieldProps) {
  const id = useId();
  return (
    <div>
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <input
        id={id}
        className="input"
        inputMode={isNumber ? "numeric" : undefined}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={problem !== undefined}
        aria-describedby={problem && `${id}-problem`}
        value={text}
        onChange={event => onText(event.target.value)}
      />
      {problem && (
        <p id={`${id}-problem`} className="mt-1 text-[0.8125rem] text-critical">
          {problem}
        </p>
      )}
    </div>
  );
}
