"use client";

import { useId, useState } from "react";
import { consoleApi } from "../console-api";
import type { ReservedKind } from "../contract";
import { Choice } from "../parts/choice";
import { FormDialog } from "../parts/form-dialog";
import { ReasonField } from "../parts/reason-field";
import { useSettled } from "../parts/use-settled";
import { DryRun } from "./dry-run";
import { KIND_TEXTS, KINDS } from "./reserved-kinds";

const KIND_OPTIONS = KINDS.map(kind => ({ value: kind, text: kind, description: KIND_TEXTS[kind] }));

export function AddWord({ onClose }: { onClose: () => void }) {
  const id = useId();
  const [pattern, setPattern] = useState("");
  const [kind, setKind] = useState<ReservedKind>("exact");
  const [reason, setReason] = useState("");
  const word = pattern.trim();
  const missingInput =
    word === "" ? "Type the word first." : reason.trim() === "" ? "Write the reason first." : undefined;

  return (
    <FormDialog
      title="Reserve a word"
      action="reserved.edit"
      verb="Reserve the word"
      disabledReason={missingInput}
      run={() => consoleApi.reserved.add.mutate({ pattern: word, kind, reason: reason.trim() })}
      done={`${word} is reserved`}
      refresh={["reserved.list"]}
      onClose={onClose}
    >
      <div>
        <label className="label" htmlFor={`${id}-word`}>
          Word
        </label>
        <input
          id={`${id}-word`}
          data-first
          className="input"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={64}
          value={pattern}
          onChange={event => setPattern(event.target.value)}
        />
      </div>
      <Choice label="Refused names" value={kind} options={KIND_OPTIONS} onValue={setKind} />
      <DryRun pattern={useSettled(word)} kind={kind} />
      <ReasonField label="Reason; users who want the name may read it" value={reason} onValue={setReason} />
    </FormDialog>
  );
}
