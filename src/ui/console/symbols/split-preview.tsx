import type { SymbolPreview } from "../contract";
import { Ago } from "../parts/ago";
import type { Column } from "../parts/data-table";
import { explainFailure } from "../parts/explain-failure";
import { formatQuantity } from "../parts/format";
import { LoadAfter, MAX_PREVIEW_ROWS, PreviewFailure, PreviewWarning } from "../parts/load-preview";
import { Measured } from "../parts/measured";
import { SimpleTable } from "../parts/simple-table";
import { StateBadge } from "../parts/state-badge";
import { useNow } from "../parts/use-now";

type SplitPreviewProps = {
  symbol: string;
  preview: SymbolPreview | undefined;
  /** When it was read, by this browser's clock. */
  readAt: number;
  error: unknown;
  /** The preview belongs to an earlier input. */
  isBusy: boolean;
};

/** The preview is read every second. */
const OLD_MS = 5_000;

const WARNINGS: Record<SymbolPreview["warnings"][number], string> = {
  "more than shards": "There are fewer shards than sub-keys: some sub-keys share a shard.",
  "shared shards": "Sub-keys share a shard: the gain is smaller than the factor.",
  "does not fit": "The load does not fit: shards would still throttle orders. Add shards to the log.",
  "no room": "The load fits, but leaves less than 30 % of a shard free.",
  "no data": "No server reports the order rate: the loads are unknown.",
};

/** The shard of each sub-key, and the load of each shard before and after. */
export function SplitPreview({ symbol, preview, readAt, error, isBusy }: SplitPreviewProps) {
  const now = useNow();
  const failure = error ? explainFailure(error) : null;
  const isOld = !isBusy && (failure !== null || now - readAt > OLD_MS);
  if (!preview) {
    return failure ? (
      <PreviewFailure failure={failure} />
    ) : (
      <p className="skeleton">The shard of each sub-key, and the load of each shard</p>
    );
  }
  const { fullest, distinctShards, warnings, subKeys } = preview;
  return (
    <section aria-label="Preview" aria-busy={isBusy} className="load-preview">
      <h3 className="label">
        {subKeys.length === 1
          ? `${symbol} on one shard`
          : `${subKeys.length} sub-keys on ${distinctShards} shards`}
        {fullest &&
          `; fullest: shard ${fullest.shardId}, ${formatQuantity(fullest.utilization, "ratio")} of its limit in ${fullest.bound}`}
      </h3>
      {isOld && (
        <p className="mb-1.5 text-[0.8125rem]" role="status">
          <StateBadge state="unknown" word="Out of date" /> As of <Ago at={readAt} />.{" "}
          {failure ? `${failure.title}.` : "The server has not answered since."}
        </p>
      )}
      <PreviewTable shards={preview.shards} />
      {warnings.map(warning => (
        <PreviewWarning
          key={warning}
          state={warning === "no data" ? "unknown" : warning === "no room" ? "warning" : "critical"}
          word={warning}
          text={WARNINGS[warning]}
        />
      ))}
    </section>
  );
}

type Shards = SymbolPreview["shards"];

function PreviewTable({ shards }: { shards: Shards }) {
  const changes = ({ partitionKeys, before, after }: Shards[number]) =>
    partitionKeys.length > 0 || (before ?? 0) - (after ?? 0) > 0.01;
  const shown = shards.length <= MAX_PREVIEW_ROWS ? shards : shards.filter(changes);
  return (
    <SimpleTable
      label="Load of each shard"
      columns={columns}
      rows={shown}
      rowKey={({ shardId }) => shardId}
    />
  );
}

const columns: Column<Shards[number]>[] = [
  { id: "shard", title: "Shard", cell: ({ shardId }) => shardId },
  {
    id: "subKeys",
    title: "Sub-key",
    cell: ({ partitionKeys }) => <span className="code">{partitionKeys.join(", ") || "–"}</span>,
  },
  { id: "now", title: "Now", number: true, cell: ({ before }) => <Measured value={before} unit="ratio" /> },
  {
    id: "after",
    title: "After",
    cell: ({ before, after }) => <LoadAfter before={before} after={after} />,
  },
];
