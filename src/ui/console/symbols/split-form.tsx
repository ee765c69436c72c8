import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { evidenceText } from "../../../domain/orders/split-suggestion";
import { consoleApi } from "../console-api";
import type { SplitInput, SymbolRow } from "../contract";
import { explainFailure } from "../parts/explain-failure";
import { FailureNote } from "../parts/failure-note";
import { ReasonField } from "../parts/reason-field";
import { SubmitFoot } from "../parts/submit-foot";
import { useSettled } from "../parts/use-settled";
import { toast } from "../toast/toast";
import { draftOf, factorProblem, readFactor, requestOf, type SplitDraft, takesOver } from "./split-draft";
import { SplitFields } from "./split-fields";
import { SplitPreview } from "./split-preview";

type SplitFormProps = {
  row: SymbolRow;
  ask: "split" | "merge";
  shardCount: number;
  /** Starts the form again from the new state. */
  onAgain: () => void;
  onClose: () => void;
};

export function SplitForm({ row, ask, shardCount, onAgain, onClose }: SplitFormProps) {
  // The change refers to the row that the trader decided on, not to a newer one.
  const [seen] = useState(row);
  const [reason, setReason] = useState(() => proposedReason(row, ask));
  const [draft, setDraft] = useState(() => draftOf(row, ask));
  const { symbol, epoch, expiresAt: keptUntil } = seen;
  const problem = factorProblem(draft.factorText, shardCount);
  const factor = readFactor(draft.factorText) ?? 1;
  const { preview, isOfRequest } = usePreview({ symbol, factor, placement: draft.placement });
  const change = useSplit(onClose);
  const failure = change.error && explainFailure(change.error, true);
  const wasChanged = row.epoch !== epoch && !change.isPending && !change.isSuccess;
  const disabledReason =
    problem ??
    (wasChanged ? "Another user changed the split. Look at the new state first." : undefined) ??
    (!isOfRequest || !preview.data ? "Wait for the preview." : undefined) ??
    (reason.trim() === "" ? "Write the reason first." : undefined);

  return (
    <form
      className="contents"
      onSubmit={event => {
        event.preventDefault();
        if (disabledReason || change.isPending) return;
        change.mutate(requestOf(draft, { symbol, factor, epoch, reason, keptUntil }));
      }}
    >
      {wasChanged && <ChangedNotice row={row} onAgain={onAgain} />}
      {ask === "split" ? (
        <SplitFields
          draft={draft}
          now={seen.factor > 1 ? seen : null}
          problem={problem}
          recommended={preview.data?.recommended ?? null}
          onDraft={part => setDraft(now => ({ ...now, ...part }))}
        />
      ) : (
        <p className="consequence" data-tone="unknown">
          All orders of {symbol} go to one shard again. Orders that are in the log under the other keys are
          still released in order.
        </p>
      )}
      <SplitPreview
        symbol={symbol}
        preview={preview.data}
        readAt={preview.dataUpdatedAt}
        error={preview.error}
        isBusy={!isOfRequest}
      />
      {takesOver(seen, factor) && (
        <p className="consequence" data-tone="unknown">
          The current split was made by automatic mode. This change makes it manual: automatic mode ignores{" "}
          {symbol} until it is merged.
        </p>
      )}
      <ReasonField isFirst value={reason} onValue={setReason} />
      {failure && <FailureNote failure={failure} />}
      <SubmitFoot
        action="symbol.split"
        blocked={disabledReason}
        verb={factor === 1 ? `Cool down ${symbol}` : `Split ${symbol} by ${factor}`}
        isPending={change.isPending}
        onClose={onClose}
      />
    </form>
  );
}

const PREVIEW_EVERY_MS = 1_000;

type PreviewRequest = { symbol: string; factor: number; placement: SplitDraft["placement"] };

/** The preview, and whether it belongs to this request: it follows the typing with a delay. */
function usePreview(request: PreviewRequest) {
  const typed = JSON.stringify(request);
  const settled = useSettled(typed);
  const preview = useQuery({
    queryKey: ["symbol.preview", settled],
    queryFn: ({ signal }) =>
      consoleApi.symbol.preview.query(JSON.parse(settled) as PreviewRequest, { signal }),
    placeholderData: previous => previous,
    refetchInterval: PREVIEW_EVERY_MS,
    staleTime: 0,
    gcTime: 5_000,
  });
  return { preview, isOfRequest: settled === typed && !preview.isPlaceholderData };
}

function useSplit(onClose: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: SplitInput) => consoleApi.symbol.split.mutate(input),
    onSuccess: (_, { symbol, factor }) => {
      toast.success(factor === 1 ? `${symbol} is cooled down` : `${symbol} is split by ${factor}`);
      onClose();
    },
    onSettled: () => {
      for (const key of ["symbol.page", "symbol.preview", "audit.list"])
        void client.invalidateQueries({ queryKey: [key] });
    },
  });
}

function ChangedNotice({ row, onAgain }: { row: SymbolRow; onAgain: () => void }) {
  const { symbol, setBy, factor, epoch, reason } = row;
  return (
    <div className="consequence" data-tone="warning" role="alert">
      {setBy} changed {symbol}: it is {factor === 1 ? "not split" : `split by ${factor}`} now (epoch {epoch}),
      because “{reason}”.{" "}
      <button type="button" className="link" onClick={onAgain}>
        Start from the new state
      </button>
    </div>
  );
}

/** The evidence of a suggestion is the default reason. */
function proposedReason({ suggestion }: SymbolRow, ask: "split" | "merge"): string {
  if (suggestion?.kind !== ask) return "";
  const evidence = { ...suggestion, sinceMs: Date.parse(suggestion.since) };
  return `As proposed: ${evidenceText(evidence, Date.now())}`;
}
