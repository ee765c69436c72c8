import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { evidenceText } from "../../../domain/orders/split-suggestion";
import { consoleApi } from "../console-api";
import type { SymbolRow } from "../contract";
import { explainFailure } from "../parts/explain-failure";
import { FailureNote } from "../parts/failure-note";
import { ReasonField } from "../parts/reason-field";
import { SubmitFoot } from "../parts/submit-foot";
import { useSettled } from "../parts/use-settled";
import { toast } from "../toast/toast";
import { draftOf, factorProblem, readFactor, requestOf, takesOver } from "./split-draft";
import { SplitFields } from "./split-fields";
import { SplitPreview } from "./split-preview";

type SplitFormProps = {
  row: SymbolRow;
  ask: "hot" | "cool";
  shardCount: number;
  /** Begins anew with what is true by now. */
  onAgain: () => void;
  onClose: () => void;
};

const PREVIEW_EVERY_MS = 1_000;

export function SplitForm({ row, ask, shardCount, onAgain, onClose }: SplitFormProps) {
  const client = useQueryClient();
  // What the trader looked at while deciding: the change refers to it.
  const [seen] = useState(row);
  const [reason, setReason] = useState(() => proposedReason(row, ask));
  const [draft, setDraft] = useState(() => draftOf(row, ask));
  const { symbol, epoch, expiresAt: keptUntil } = seen;
  const problem = factorProblem(draft.factorText, shardCount);
  const request = { symbol, factor: readFactor(draft.factorText) ?? 1, placement: draft.placement };
  const typed = JSON.stringify(request);
  const settled = useSettled(typed);
  const preview = useQuery({
    queryKey: ["symbol.preview", settled],
    queryFn: ({ signal }) =>
      consoleApi.symbol.preview.query(JSON.parse(settled) as typeof request, { signal }),
    placeholderData: previous => previous,
    refetchInterval: PREVIEW_EVERY_MS,
    staleTime: 0,
    gcTime: 5_000,
  });
  const change = useMutation({
    mutationFn: () =>
      consoleApi.symbol.split.mutate(requestOf(draft, { ...request, epoch, reason, keptUntil })),
    onSuccess: () => {
      toast.success(
        request.factor === 1 ? `${symbol} is cooled down` : `${symbol} is split by ${request.factor}`,
      );
      onClose();
    },
    onSettled: () => {
      for (const key of ["symbol.page", "symbol.preview", "audit.list"])
        void client.invalidateQueries({ queryKey: [key] });
    },
  });
  // The figures have to be of what is sent: typing is ahead of the question, and that of its answer.
  const isOfRequest = settled === typed && !preview.isPlaceholderData;
  const failure = change.error && explainFailure(change.error, true);
  const wasChanged = row.epoch !== epoch && !change.isPending && !change.isSuccess;
  const blocked =
    problem ??
    (wasChanged ? "Somebody else changed it: look at the new state first." : undefined) ??
    (!isOfRequest || !preview.data ? "Wait for the preview." : undefined) ??
    (reason.trim() === "" ? "Write the reason first." : undefined);

  return (
    <form
      className="contents"
      onSubmit={event => {
        event.preventDefault();
        if (!blocked && !change.isPending) change.mutate();
      }}
    >
      {wasChanged && (
        <div className="consequence" data-tone="warning" role="alert">
          {row.setBy} changed {symbol} meanwhile:{" "}
          {row.factor === 1 ? "it is not split" : `it is split by ${row.factor}`} now (epoch {row.epoch}),
          because “{row.reason}”.{" "}
          <button type="button" className="link" onClick={onAgain}>
            Start from there
          </button>
        </div>
      )}
      {ask === "hot" ? (
        <SplitFields
          draft={draft}
          now={seen.factor > 1 ? seen : null}
          problem={problem}
          recommended={preview.data?.recommended ?? null}
          onDraft={part => setDraft(now => ({ ...now, ...part }))}
        />
      ) : (
        <p className="consequence" data-tone="unknown">
          All orders of {symbol} go to one shard again. What is on its way under the other keys is still put
          in order.
        </p>
      )}
      <SplitPreview
        symbol={symbol}
        preview={preview.data}
        readAt={preview.dataUpdatedAt}
        error={preview.error}
        isBusy={!isOfRequest}
      />
      {takesOver(seen, request.factor) && (
        <p className="consequence" data-tone="unknown">
          Automatic mode has split {symbol}. From now on a trader has: automatic mode leaves it alone until it
          is not split any more.
        </p>
      )}
      <ReasonField isFirst value={reason} onValue={setReason} />
      {failure && <FailureNote failure={failure} />}
      <SubmitFoot
        action="symbol.split"
        blocked={blocked}
        verb={request.factor === 1 ? `Cool ${symbol} down` : `Split ${symbol} by ${request.factor}`}
        isPending={change.isPending}
        onClose={onClose}
      />
    </form>
  );
}

/** A suggestion's evidence is a reason; whoever knows a better one writes over it. */
function proposedReason({ suggestion }: SymbolRow, ask: "hot" | "cool"): string {
  if (suggestion?.kind !== (ask === "hot" ? "split" : "merge")) return "";
  const evidence = { ...suggestion, sinceMs: Date.parse(suggestion.since) };
  return `As proposed: ${evidenceText(evidence, Date.now())}`;
}
