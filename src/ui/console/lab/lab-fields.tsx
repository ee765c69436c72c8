import { LAB_WORDS, type LabBound } from "../../../domain/lab/lab-run";
import { TextField } from "../parts/text-field";
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
      <TextField
        label="Symbol"
        value={draft.symbol ?? values.symbol}
        problem={problems.symbol}
        onValue={symbol => onDraft({ symbol })}
      />
      {FIELDS.map(name => (
        <TextField
          key={name}
          label={LAB_WORDS[name]}
          isNumber
          value={draft[name] ?? String(values[name])}
          problem={problems[name]}
          onValue={text => onDraft({ [name]: text })}
        />
      ))}
    </div>
  );
}
