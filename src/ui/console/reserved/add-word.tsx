"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { consoleApi } from "../console-api";
import type { ReservedKind } from "../contract";
import { Dialog } from "../parts/dialog";
import { explainFailure } from "../parts/explain-failure";
import { FailureNote } from "../parts/failure-note";
import { ReasonField } from "../parts/reason-field";
import { SubmitFoot } from "../parts/submit-foot";
import { useSettled } from "../parts/use-settled";
import { toast } from "../toast/toast";
import { DryRun } from "./dry-run";
import { KIND_TEXTS, KINDS } from "./reserved-kinds";

export function AddWord({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Reserve a word">
      <AddForm onClose={onClose} />
    </Dialog>
  );
}

function AddForm({ onClose }: { onClose: () => void }) {
  const id = useId();
  const client = useQueryClient();
  const [pattern, setPattern] = useState("");
  const [kind, setKind] = useState<ReservedKind>("exact");
  const [reason, setReason] = useState("");
  const word = pattern.trim();
  const add = useMutation({
    mutationFn: () => consoleApi.reserved.add.mutate({ pattern: word, kind, reason: reason.trim() }),
    onSuccess: () => {
      toast.success(`${word} is reserved`);
      onClose();
    },
    onSettled: () => void client.invalidateQueries({ queryKey: ["reserved.list"] }),
  });
  const failure = add.error && explainFailure(add.error, true);
  const missing =
    word === "" ? "Type the word first." : reason.trim() === "" ? "Write the reason first." : undefined;

  return (
    <form
      className="contents"
      onSubmit={event => {
        event.preventDefault();
        if (!missing && !add.isPending) add.mutate();
      }}
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
      <fieldset className="grid gap-1.5">
        <legend className="label">It refuses</legend>
        {KINDS.map(each => (
          <label key={each} className="flex items-baseline gap-2">
            <input type="radio" name={`${id}-kind`} checked={kind === each} onChange={() => setKind(each)} />
            <span>
              {each} <span className="text-soft">{KIND_TEXTS[each]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <DryRun pattern={useSettled(word)} kind={kind} />
      <ReasonField label="Reason; people who want the name may read it" value={reason} onValue={setReason} />
      {failure && <FailureNote failure={failure} />}
      <SubmitFoot
        action="reserved.edit"
        blocked={missing}
        verb={"Reserve the word"}
        isPending={add.isPending}
        onClose={onClose}
      />
    </form>
  );
}
