"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useRef } from "react";
import { isOutcomeUnknown } from "../intent-link";
import { toast } from "../toast/toast";
import { Dialog } from "./dialog";
import { explainFailure } from "./explain-failure";
import { FailureNote } from "./failure-note";
import { SubmitFoot, type SubmitFootProps } from "./submit-foot";

type FormDialogProps<Result> = Omit<SubmitFootProps, "isPending"> & {
  title: ReactNode;
  /** @param pressedAtMs the same for a repeat after a lost answer, which asks for the very same change */
  run: (pressedAtMs: number) => Promise<Result>;
  /** The toast after success. */
  done?: string;
  /** Replaces `onClose` after success. */
  onDone?: (result: Result) => void;
  /** First parts of the query keys to read again, beside the audit log's. */
  refresh: readonly string[];
  children: ReactNode;
};

/** A dialog with one form and one request; mounting opens it. A failure keeps what the user typed. */
export function FormDialog<Result>(props: FormDialogProps<Result>) {
  const { title, run, done, onDone, refresh, children, ...foot } = props;
  const client = useQueryClient();
  const pressedAt = useRef<number>(undefined);
  const request = useMutation({
    mutationFn: () => {
      pressedAt.current ??= Date.now();
      return run(pressedAt.current);
    },
    onError: error => {
      if (!isOutcomeUnknown(error)) pressedAt.current = undefined;
    },
    onSuccess: result => {
      if (done) toast.success(done);
      if (onDone) onDone(result);
      else foot.onClose();
    },
    // Not awaited: the dialog closes before the data is read again.
    onSettled: () => {
      for (const key of [...refresh, "audit.list"]) void client.invalidateQueries({ queryKey: [key] });
    },
  });
  return (
    <Dialog open onClose={foot.onClose} title={title}>
      <form
        className="contents"
        onSubmit={event => {
          event.preventDefault();
          if (!foot.disabledReason && !request.isPending) request.mutate();
        }}
      >
        {children}
        {request.error && <FailureNote failure={explainFailure(request.error, true)} />}
        <SubmitFoot {...foot} isPending={request.isPending} />
      </form>
    </Dialog>
  );
}
