import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { consoleApi } from "../console-api";
import type { Suggestion, SymbolRow } from "../contract";
import { Choice } from "../parts/choice";
import { Dialog } from "../parts/dialog";
import { explainFailure } from "../parts/explain-failure";
import { FailureNote } from "../parts/failure-note";
import { ReasonField } from "../parts/reason-field";
import { SubmitFoot } from "../parts/submit-foot";
import { toast } from "../toast/toast";
import { EvidenceText, proposalText } from "./suggestions-panel";

type DismissDialogProps = { row: SymbolRow | undefined; onClose: () => void };

const FOR_MINUTES = [
  { value: 15, text: "15 min" },
  { value: 30, text: "30 min" },
  { value: 120, text: "2 h" },
  { value: 1_440, text: "1 d" },
];

/** Hides a suggestion for a while. */
export function DismissDialog({ row, onClose }: DismissDialogProps) {
  // The suggestion as the dialog was opened: it can end or change meanwhile.
  const [seen, setSeen] = useState<{ symbol: string; suggestion: Suggestion | null } | null>(null);
  if ((row?.symbol ?? null) !== (seen?.symbol ?? null))
    setSeen(row ? { symbol: row.symbol, suggestion: row.suggestion } : null);
  return (
    <Dialog open={row !== undefined} onClose={onClose} title={`Dismiss a suggestion for ${row?.symbol}`}>
      {seen?.suggestion ? (
        <DismissForm symbol={seen.symbol} suggestion={seen.suggestion} onClose={onClose} />
      ) : (
        <p>There is no suggestion for {row?.symbol}.</p>
      )}
    </Dialog>
  );
}

type FormProps = { symbol: string; suggestion: Suggestion; onClose: () => void };

function DismissForm({ symbol, suggestion, onClose }: FormProps) {
  const client = useQueryClient();
  const [forMinutes, setForMinutes] = useState(30);
  const [reason, setReason] = useState("");
  const { kind } = suggestion;
  const dismiss = useMutation({
    mutationFn: () => consoleApi.symbol.dismiss.mutate({ symbol, kind, forMinutes, reason: reason.trim() }),
    onSuccess: () => {
      toast.success(`The suggestion for ${symbol} is dismissed`);
      onClose();
    },
    onSettled: () => void client.invalidateQueries({ queryKey: ["symbol.page"] }),
  });
  const failure = dismiss.error && explainFailure(dismiss.error, true);
  return (
    <form
      className="contents"
      onSubmit={event => {
        event.preventDefault();
        if (reason.trim() !== "" && !dismiss.isPending) dismiss.mutate();
      }}
    >
      <p className="consequence" data-tone="unknown">
        {proposalText(symbol, suggestion)}: <EvidenceText suggestion={suggestion} /> The suggestion returns
        after this time if the evidence still holds. Automatic mode ignores {symbol} until then.
      </p>
      <Choice label="Duration" inline value={forMinutes} options={FOR_MINUTES} onValue={setForMinutes} />
      <ReasonField isFirst value={reason} onValue={setReason} />
      {failure && <FailureNote failure={failure} />}
      <SubmitFoot
        action="symbol.dismiss"
        blocked={reason.trim() === "" ? "Write the reason first." : undefined}
        verb="Dismiss the suggestion"
        isPending={dismiss.isPending}
        onClose={onClose}
      />
    </form>
  );
}
