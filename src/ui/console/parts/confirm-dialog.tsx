"use client";

import { type ReactNode, useId, useState } from "react";
import type { Action } from "../contract";
import { FormDialog } from "./form-dialog";
import { ReasonField } from "./reason-field";

export type Confirmation = {
  title: string;
  /** One sentence with the numbers: what changes, and for whom. */
  consequence: ReactNode;
  /** How far the change reaches: "irreversible" also needs the typed name. */
  reach: "small" | "large" | "irreversible";
  typedName?: string;
  /** The permission that the change needs, for dialogs that an address opens. */
  action?: Action;
  /** Further fields and facts, below the consequence. */
  details?: ReactNode;
  /** Where the reason is shown; in the audit log, unless given. */
  reasonLabel?: string;
  /** Why the change is not possible now. */
  disabledReason?: string;
  /** A verb with its object: "Disable anna". */
  verb: string;
  run: (reason: string) => Promise<unknown>;
  done: string;
  /** First parts of the query keys to read again. */
  refresh: string[];
};

type ConfirmDialogProps = { confirmation: Confirmation | null; onClose: () => void };

const TONES = { small: "unknown", large: "warning", irreversible: "critical" } as const;

/** Confirms a change. A change with a larger reach needs more input. */
export function ConfirmDialog({ confirmation, onClose }: ConfirmDialogProps) {
  return confirmation && <ConfirmForm confirmation={confirmation} onClose={onClose} />;
}

function ConfirmForm({ confirmation, onClose }: { confirmation: Confirmation; onClose: () => void }) {
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState("");
  const { title, action, reach, typedName, consequence, details, disabledReason } = confirmation;
  const { verb, run, done, refresh, reasonLabel } = confirmation;
  const missingInput = reason.trim() === "" ? "Write the reason first." : missingName(typed, typedName);

  return (
    <FormDialog
      title={title}
      action={action}
      verb={verb}
      isDangerous={reach !== "small"}
      disabledReason={disabledReason ?? missingInput}
      run={() => run(reason.trim())}
      done={done}
      refresh={refresh}
      onClose={onClose}
    >
      <p className="consequence" data-tone={TONES[reach]}>
        {consequence}
      </p>
      {details}
      <ReasonField isFirst required label={reasonLabel} value={reason} onValue={setReason} />
      {typedName !== undefined && (
        <TypedName
          name={typedName}
          isIrreversible={reach === "irreversible"}
          value={typed}
          onValue={setTyped}
        />
      )}
      {disabledReason && <p className="text-[0.8125rem] text-critical">{disabledReason}</p>}
    </FormDialog>
  );
}

function missingName(typed: string, name?: string): string | undefined {
  return name === undefined || typed === name ? undefined : `Type ${name} first.`;
}

type TypedNameProps = {
  name: string;
  isIrreversible: boolean;
  value: string;
  onValue: (value: string) => void;
};

function TypedName({ name, isIrreversible, value, onValue }: TypedNameProps) {
  const id = useId();
  return (
    <div>
      <label className="label" htmlFor={id}>
        {isIrreversible && "This can't be undone. "}Type{" "}
        <strong className="text-ink select-all">{name}</strong> to continue
      </label>
      <input
        id={id}
        className="input"
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={event => onValue(event.target.value)}
      />
    </div>
  );
}
