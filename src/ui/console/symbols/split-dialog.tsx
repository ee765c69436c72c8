import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { evidenceText } from "../../../domain/orders/split-suggestion";
import { consoleApi } from "../console-api";
import type { SymbolRow } from "../contract";
import { isOutcomeUnknown } from "../intent-link";
import { FormDialog } from "../parts/form-dialog";
import { ReasonField } from "../parts/reason-field";
import { useSettled } from "../parts/use-settled";
import { draftOf, factorProblem, readFactor, type SplitDraft, splitInput, takesOver } from "./split-draft";
import { SplitFields } from "./split-fields";
import { SplitPreview } from "./split-preview";

type SplitDialogProps = {
  request: "split" | "merge";
  row: SymbolRow;
  shardCount: number;
  onClose: () => void;
};

/** Splits a symbol or merges it. After a change by another user the form can restart from the new state. */
export function SplitDialog(props: SplitDialogProps) {
  const [round, setRound] = useState(0);
  return <SplitForm key={round} {...props} onRestart={() => setRound(round + 1)} />;
}

function SplitForm({
  row,
  request,
  shardCount,
  onRestart,
  onClose,
}: SplitDialogProps & { onRestart: () => void }) {
  // The change refers to the row that the trader decided on, not to a newer one.
  const [seen] = useState(row);
  const [reason, setReason] = useState(() => proposedReason(row, request));
  const [draft, setDraft] = useState(() => draftOf(row, request));
  const [isSent, setIsSent] = useState(false);
  const { symbol, epoch, expiresAt: keptUntil } = seen;
  const problem = factorProblem(draft.factorText, shardCount);
  const factor = readFactor(draft.factorText) ?? 1;
  const { preview, isOfRequest } = usePreview({ symbol, factor, placement: draft.placement });
  const wasChanged = row.epoch !== epoch && !isSent;

  async function run(nowMs: number) {
    setIsSent(true);
    try {
      const input = splitInput(draft, { symbol, factor, epoch, reason, keptUntil, nowMs });
      await consoleApi.symbol.split.mutate(input);
    } catch (error) {
      if (!isOutcomeUnknown(error)) setIsSent(false);
      throw error;
    }
  }

  return (
    <FormDialog
      title={titleOf(seen, request)}
      action="symbol.split"
      verb={factor === 1 ? `Cool down ${symbol}` : `Split ${symbol} by ${factor}`}
      disabledReason={
        problem ??
        (wasChanged ? "Another user changed the split. Look at the new state first." : undefined) ??
        (!isOfRequest || !preview.data ? "Wait for the preview." : undefined) ??
        (reason.trim() === "" ? "Write the reason first." : undefined)
      }
      run={run}
      done={factor === 1 ? `${symbol} is cooled down` : `${symbol} is split by ${factor}`}
      refresh={["symbol.page", "symbol.preview"]}
      onClose={onClose}
    >
      {wasChanged && <ChangedNotice row={row} onRestart={onRestart} />}
      {request === "split" ? (
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
    </FormDialog>
  );
}

function titleOf({ symbol, factor }: SymbolRow, request: "split" | "merge"): string {
  if (request === "merge") return `Cool down ${symbol}`;
  return factor > 1 ? `Change the split of ${symbol}` : `Mark ${symbol} hot`;
}

const PREVIEW_INTERVAL_MS = 1_000;

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
    refetchInterval: PREVIEW_INTERVAL_MS,
    staleTime: 0,
    gcTime: 5_000,
  });
  return { preview, isOfRequest: settled === typed && !preview.isPlaceholderData };
}

function ChangedNotice({ row, onRestart }: { row: SymbolRow; onRestart: () => void }) {
  const { symbol, setBy, factor, epoch, reason } = row;
  return (
    <div className="consequence" data-tone="warning" role="alert">
      {setBy} changed {symbol}: it is {factor === 1 ? "not split" : `split by ${factor}`} now (epoch {epoch}),
      because “{reason}”.{" "}
      <button type="button" className="link" onClick={onRestart}>
        Start from the new state
      </button>
    </div>
  );
}

/** The evidence of a suggestion is the default reason. */
function proposedReason({ suggestion }: SymbolRow, request: "split" | "merge"): string {
  if (suggestion?.kind !== request) return "";
  const evidence = { ...suggestion, sinceMs: Date.parse(suggestion.since) };
  return `As proposed: ${evidenceText(evidence, Date.now())}`;
}
