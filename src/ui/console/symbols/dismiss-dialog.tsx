import { useState } from "react";
import { consoleApi } from "../console-api";
import type { Suggestion, SymbolRow } from "../contract";
import { Choice } from "../parts/choice";
import { Dialog } from "../parts/dialog";
import { FormDialog } from "../parts/form-dialog";
import { ReasonField } from "../parts/reason-field";
import { EvidenceText, proposalText } from "./suggestions-panel";

const FOR_MINUTES = [
  { value: 15, text: "15 min" },
  { value: 30, text: "30 min" },
  { value: 120, text: "2 h" },
  { value: 1_440, text: "1 d" },
];

/** Hides a suggestion for a limited time. */
export function DismissDialog({ row, onClose }: { row: SymbolRow; onClose: () => void }) {
  // The suggestion at the opening of the dialog. Later it can end or change.
  const [{ symbol, suggestion }] = useState(row);
  const title = `Dismiss a suggestion for ${symbol}`;
  if (suggestion)
    return <DismissForm title={title} symbol={symbol} suggestion={suggestion} onClose={onClose} />;
  return (
    <Dialog open onClose={onClose} title={title}>
      <p>There is no suggestion for {symbol}.</p>
    </Dialog>
  );
}

type DismissFormProps = { title: string; symbol: string; suggestion: Suggestion; onClose: () => void };

function DismissForm({ title, symbol, suggestion, onClose }: DismissFormProps) {
  const [forMinutes, setForMinutes] = useState(30);
  const [reason, setReason] = useState("");
  const { kind } = suggestion;
  return (
    <FormDialog
      title={title}
      action="symbol.dismiss"
      verb="Dismiss the suggestion"
      disabledReason={reason.trim() === "" ? "Write the reason first." : undefined}
      run={() => consoleApi.symbol.dismiss.mutate({ symbol, kind, forMinutes, reason: reason.trim() })}
      done={`The suggestion for ${symbol} is dismissed`}
      refresh={["symbol.page"]}
      onClose={onClose}
    >
      <p className="consequence" data-tone="unknown">
        {proposalText(symbol, suggestion)}: <EvidenceText suggestion={suggestion} /> The suggestion returns
        after this time if the evidence still holds. Automatic mode ignores {symbol} until then.
      </p>
      <Choice label="Duration" inline value={forMinutes} options={FOR_MINUTES} onValue={setForMinutes} />
      <ReasonField isFirst value={reason} onValue={setReason} />
    </FormDialog>
  );
}
