import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { consoleApi } from "../console-api";
import type { SymbolRow } from "../contract";
import { Choice } from "../parts/choice";
import { Dialog } from "../parts/dialog";
import { explainFailure } from "../parts/explain-failure";
import { FailureNote } from "../parts/failure-note";
import { ReasonField } from "../parts/reason-field";
import { SubmitFoot } from "../parts/submit-foot";
import { toast } from "../toast/toast";
import { automaticInput, boundProblem, boundsFor, draftFrom } from "./automatic-draft";
import { BoundField } from "./bound-field";

type AutomaticDialogProps = { row: SymbolRow | undefined; shardCount: number; onClose: () => void };

/** May the symbol be split without a trader, and within which bounds. */
export function AutomaticDialog({ row, shardCount, onClose }: AutomaticDialogProps) {
  return (
    <Dialog open={row !== undefined} onClose={onClose} title={`Automatic mode of ${row?.symbol}`}>
      {row && <AutomaticForm key={row.symbol} row={row} shardCount={shardCount} onClose={onClose} />}
    </Dialog>
  );
}

function AutomaticForm({ row, shardCount, onClose }: AutomaticDialogProps & { row: SymbolRow }) {
  const client = useQueryClient();
  // What the trader looked at while deciding: the change refers to it.
  const [seen] = useState(row);
  const [draft, setDraft] = useState(() => draftFrom(row));
  const [reason, setReason] = useState("");
  const { symbol } = seen;
  const bounds = boundsFor(shardCount);
  const change = useMutation({
    mutationFn: () => consoleApi.symbol.setAutomatic.mutate(automaticInput(draft, seen, reason)),
    onSuccess: () => {
      toast.success(draft.on ? `${symbol} may be split by itself` : `Only traders split ${symbol} now`);
      onClose();
    },
    onSettled: () => void client.invalidateQueries({ queryKey: ["symbol.page"] }),
  });
  const failure = change.error && explainFailure(change.error, true);
  const problem = draft.on
    ? bounds.map(one => boundProblem(draft[one.bound], one)).find(text => text !== undefined)
    : undefined;
  const isOff = !draft.on && !seen.automatic.on;
  const blocked =
    (isOff ? "It is off already." : problem) ??
    (reason.trim() === "" ? "Write the reason first." : undefined);
  return (
    <form
      className="contents"
      onSubmit={event => {
        event.preventDefault();
        if (!blocked && !change.isPending) change.mutate();
      }}
    >
      <p className="consequence" data-tone={draft.on ? "warning" : "unknown"}>
        {draft.on
          ? `${symbol} is split when a split is proposed, and cooled down after a calm minute, without anybody being asked. What a trader has split stays as it is. An hour's last change is kept for a split. Every act is in the audit log with its evidence.`
          : `Suggestions for ${symbol} wait for a trader. How it is split now does not change.`}
      </p>
      <Choice
        label={`Split ${symbol}`}
        inline
        value={draft.on ? "on" : "off"}
        options={[
          { value: "off", text: "by a trader only" },
          { value: "on", text: "automatically as well" },
        ]}
        onValue={value => setDraft(now => ({ ...now, on: value === "on" }))}
      />
      {draft.on && (
        <div className="grid gap-2">
          {bounds.map(one => (
            <BoundField
              key={one.bound}
              {...one}
              text={draft[one.bound]}
              problem={boundProblem(draft[one.bound], one)}
              onText={text => setDraft(now => ({ ...now, [one.bound]: text }))}
            />
          ))}
        </div>
      )}
      <ReasonField isFirst value={reason} onValue={setReason} />
      {failure && <FailureNote failure={failure} />}
      <SubmitFoot
        action="symbol.setAutomatic"
        blocked={blocked}
        verb={draft.on ? `Let ${symbol} be split automatically` : "Turn automatic mode off"}
        isPending={change.isPending}
        onClose={onClose}
      />
    </form>
  );
}
