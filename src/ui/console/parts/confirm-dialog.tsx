"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { toast } from "../toast/toast";
import { Dialog } from "./dialog";
import { explainFailure } from "./explain-failure";
import { FailureNote } from "./failure-note";
import { ReasonField } from "./reason-field";

export type Confirmation = {
  title: string;
  /** One sentence with the numbers: what will be different, and for whom. */
  consequence: ReactNode;
  /** How far it reaches: "irreversible" also asks for the typed name. */
  reach: "small" | "large" | "irreversible";
  typedName?: string;
  /** What else has to be seen or chosen, below the consequence. */
  details?: ReactNode;
  /** Why it can't be done as it stands. */
  blocked?: string;
  /** A verb with its object: "Disable anna". */
  verb: string;
  run: (reason: string) => Promise<unknown>;
  done: string;
  /** First parts of the query keys to read again. */
  refresh: string[];
};

type ConfirmDialogProps = { confirmation: Confirmation | null; onClose: () => void };

/** Asks in proportion to what will happen. What was typed survives a failure. */
export function ConfirmDialog({ confirmation, onClose }: ConfirmDialogProps) {
  return (
    <Dialog open={confirmation !== null} onClose={onClose} title={confirmation?.title}>
      {confirmation && <ConfirmForm confirmation={confirmation} onClose={onClose} />}
    </Dialog>
  );
}

function ConfirmForm({ confirmation, onClose }: { confirmation: Confirmation; onClose: () => void }) {
  const id = useId();
  const client = useQueryClient();
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState("");
  const { reach, typedName, verb, consequence, details, blocked } = confirmation;
  const run = useMutation({
    mutationFn: () => confirmation.run(reason.trim()),
    onSuccess: () => {
      toast.success(confirmation.done);
      onClose();
    },
    // Not waited for: what happened is told at once, however long reading anew takes.
    onSettled: () => {
      for (const key of [...confirmation.refresh, "audit.list"]) {
        void client.invalidateQueries({ queryKey: [key] });
      }
    },
  });
  const failure = run.error && explainFailure(run.error, true);
  const missing =
    blocked ??
    (reason.trim() === ""
      ? "Write the reason first."
      : typedName !== undefined && typed !== typedName
        ? `Type ${typedName} first.`
        : undefined);

  return (
    <form
      className="contents"
      onSubmit={event => {
        event.preventDefault();
        if (!missing && !run.isPending) run.mutate();
      }}
    >
      <p
        className="consequence"
        data-tone={reach === "small" ? "unknown" : reach === "large" ? "warning" : "critical"}
      >
        {consequence}
      </p>
      {details}
      <ReasonField isFirst required value={reason} onValue={setReason} />
      {typedName !== undefined && (
        <div>
          <label className="label" htmlFor={`${id}-typed`}>
            This can't be undone. Type <strong className="text-ink select-all">{typedName}</strong> to go on
          </label>
          <input
            id={`${id}-typed`}
            className="input"
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={event => setTyped(event.target.value)}
          />
        </div>
      )}
      {blocked && <p className="text-[0.8125rem] text-critical">{blocked}</p>}
      {failure && <FailureNote failure={failure} />}
      <div className="dialog-foot">
        <button type="button" className="btn btn-quiet" onClick={onClose}>
          Cancel
        </button>
        <button
          type="submit"
          className={`btn ${reach === "small" ? "btn-primary" : "btn-danger"}`}
          aria-disabled={missing ? true : undefined}
          aria-busy={run.isPending}
          title={missing}
        >
          {run.isPending ? "Working…" : verb}
        </button>
      </div>
    </form>
  );
}
