import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { consoleApi } from "../console-api";
import type { ShardChangeInput, ShardList } from "../contract";
import { Dialog } from "../parts/dialog";
import { Failure } from "../parts/failure";
import { FormDialog } from "../parts/form-dialog";
import { ReasonField } from "../parts/reason-field";
import { toast } from "../toast/toast";
import { emptiestNeighbour, fullestShard } from "./shard-choice";
import { ShardPreview } from "./shard-preview";
import type { ShardRequest } from "./shard-request";
import { ShardSelect } from "./shard-select";

type ShardDialogProps = {
  request: ShardRequest;
  /** The chosen shard; null: the fullest one is proposed. */
  shardId: string | null;
  onClose: () => void;
};

const LIST_INTERVAL_MS = 2_000;
const PREVIEW_INTERVAL_MS = 1_000;

/** Splits a shard or merges it with a neighbour. After a change by another user the form can restart. */
export function ShardDialog(props: ShardDialogProps) {
  const [round, setRound] = useState(0);
  const list = useQuery({
    queryKey: ["shards.list"],
    queryFn: ({ signal }) => consoleApi.shards.list.query(undefined, { signal }),
    refetchInterval: LIST_INTERVAL_MS,
    gcTime: 0,
  });
  if (list.data)
    return <ShardForm key={round} {...props} list={list.data} onRestart={() => setRound(round + 1)} />;
  return (
    <Dialog open onClose={props.onClose} title={titleOf(props)}>
      {list.error ? (
        <Failure error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <p className="skeleton">The shards and their load</p>
      )}
    </Dialog>
  );
}

function titleOf({ request, shardId }: ShardDialogProps): string {
  if (request === "merge") return "Merge shards";
  return shardId === null ? "Add a shard" : `Split shard ${shardId}`;
}

type ShardFormProps = ShardDialogProps & { list: ShardList; onRestart: () => void };

function ShardForm(props: ShardFormProps) {
  const { request, list, onRestart, onClose } = props;
  // The change refers to the shards that the operator decided on, not to newer ones.
  const [seen] = useState(list);
  const [shardId, setShardId] = useState(() => props.shardId ?? fullestShard(list.rows) ?? "");
  const [picked, setPicked] = useState<string | null>(null);
  const [reason, setReason] = useState("");
  const [isSent, setIsSent] = useState(false);
  const neighbours = seen.rows.find(row => row.shardId === shardId)?.neighbours ?? [];
  const neighbourId =
    picked !== null && neighbours.includes(picked) ? picked : emptiestNeighbour(seen.rows, shardId);
  const change = changeOf(request, shardId, neighbourId);
  const { data: preview, error } = usePreview(change);
  const wasChanged = list.version !== seen.version && !isSent;

  async function run() {
    setIsSent(true);
    try {
      return await send(change!, { expectedVersion: seen.version, reason });
    } catch (failure) {
      setIsSent(false);
      throw failure;
    }
  }

  return (
    <FormDialog
      title={titleOf(props)}
      action="shards.change"
      verb={request === "split" ? `Split shard ${shardId}` : `Merge ${shardId} with ${neighbourId ?? "–"}`}
      disabledReason={
        (wasChanged ? "Another user changed the shards. Look at the new state first." : undefined) ??
        (change ? undefined : `Shard ${shardId} has no neighbour.`) ??
        preview?.refusal ??
        (preview ? undefined : "Wait for the preview.") ??
        (reason.trim() === "" ? "Write the reason first." : undefined)
      }
      run={run}
      onDone={done => {
        toast.success(doneText(done));
        onClose();
      }}
      refresh={["shards.list", "shards.preview", "orders.shardSeries"]}
      onClose={onClose}
    >
      {wasChanged && <ChangedNotice onRestart={onRestart} />}
      <ShardSelect label="Shard" rows={seen.rows} value={shardId} onValue={setShardId} />
      {request === "merge" && (
        <ShardSelect
          label="Neighbour"
          rows={seen.rows.filter(row => neighbours.includes(row.shardId))}
          value={neighbourId ?? ""}
          onValue={setPicked}
        />
      )}
      <Consequence request={request} />
      {change && <ShardPreview preview={preview} error={error} />}
      <ReasonField isFirst value={reason} onValue={setReason} />
    </FormDialog>
  );
}

function Consequence({ request }: { request: ShardRequest }) {
  return (
    <p className="consequence" data-tone="unknown">
      {request === "split"
        ? "The shard closes, and two new shards take its two halves."
        : "Both shards close, and one new shard takes their keys."}{" "}
      Orders that are in the log are still released in order.
    </p>
  );
}

function changeOf(kind: ShardRequest, shardId: string, neighbourId: string | null): ShardChangeInput | null {
  if (kind === "split") return { kind, shardId };
  return neighbourId === null ? null : { kind, shardId, neighbourId };
}

function send(change: ShardChangeInput, seen: { expectedVersion: number; reason: string }) {
  const { expectedVersion, reason } = seen;
  const { shardId } = change;
  if (change.kind === "split") return consoleApi.shards.split.mutate({ shardId, expectedVersion, reason });
  const { neighbourId } = change;
  return consoleApi.shards.merge.mutate({ shardId, neighbourId, expectedVersion, reason });
}

function doneText({ closed, opened, isComplete }: Awaited<ReturnType<typeof send>>): string {
  const to = opened.join(" and ");
  const isMerge = closed.length > 1;
  const from = `${isMerge ? "Shards" : "Shard"} ${closed.join(" and ")}`;
  if (isComplete) return `${from} became ${to}`;
  return `${from} ${isMerge ? "become" : "becomes"} ${to}; the log needs up to a minute`;
}

function usePreview(change: ShardChangeInput | null) {
  return useQuery({
    queryKey: ["shards.preview", change],
    queryFn: ({ signal }) => consoleApi.shards.preview.query(change!, { signal }),
    enabled: change !== null,
    refetchInterval: PREVIEW_INTERVAL_MS,
    staleTime: 0,
    gcTime: 5_000,
  });
}

function ChangedNotice({ onRestart }: { onRestart: () => void }) {
  return (
    <div className="consequence" data-tone="warning" role="alert">
      Another user changed the shards.{" "}
      <button type="button" className="link" onClick={onRestart}>
        Start from the new state
      </button>
    </div>
  );
}
