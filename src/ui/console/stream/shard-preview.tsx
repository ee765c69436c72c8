import type { ShardPreview as Preview } from "../contract";
import type { Column } from "../parts/data-table";
import { explainFailure } from "../parts/explain-failure";
import { formatQuantity } from "../parts/format";
import { LoadAfter, MAX_PREVIEW_ROWS, PreviewFailure, PreviewWarning } from "../parts/load-preview";
import { Measured } from "../parts/measured";
import { SimpleTable } from "../parts/simple-table";

type ShardPreviewProps = {
  preview: Preview | undefined;
  error: unknown;
};

const WARNINGS: Record<Preview["warnings"][number], string> = {
  "does not fit": "The load does not fit: the new shard would throttle orders.",
  "no room": "The load fits, but leaves less than 30 % of the new shard free.",
  "load stays together":
    "Nearly all of the load stays on one of the halves: a sub-key cannot be divided. Split its symbol instead.",
  "fewer shards": "Some symbols would use fewer shards than now: two of their sub-keys would share one.",
  "no data": "No server reports the load of these shards: the loads are unknown.",
};

/** The shards, their load and the sub-keys of split symbols on them after the change. */
export function ShardPreview({ preview, error }: ShardPreviewProps) {
  if (error) {
    return <PreviewFailure failure={explainFailure(error)} />;
  }
  if (!preview) return <p className="skeleton">The load of each shard after the change</p>;
  const { shards, fullest, warnings, refusal } = preview;
  return (
    <section aria-label="Preview" className="load-preview">
      <h3 className="label">
        {countText(shards)}
        {fullest &&
          `; fullest new shard: ${fullest.shardId}, ${formatQuantity(fullest.utilization, "ratio")} of its limit in ${fullest.bound}`}
      </h3>
      <SimpleTable
        label="Load of each shard"
        columns={columns}
        rows={shards.length <= MAX_PREVIEW_ROWS ? shards : shards.filter(({ state }) => state !== "kept")}
        rowKey={({ shardId }) => shardId}
      />
      {warnings.map(warning => (
        <PreviewWarning
          key={warning}
          state={warning === "no data" ? "unknown" : warning === "does not fit" ? "critical" : "warning"}
          word={warning}
          text={WARNINGS[warning]}
        />
      ))}
      {refusal && (
        <p className="consequence mt-1.5" data-tone="critical" role="alert">
          {refusal}
        </p>
      )}
    </section>
  );
}

type Shards = Preview["shards"];

function countText(shards: Shards): string {
  const before = shards.filter(({ state }) => state !== "opened").length;
  const after = shards.filter(({ state }) => state !== "closed").length;
  return `${after} shards instead of ${before}`;
}

const STATES = { kept: "", closed: " (closes)", opened: " (new)" } as const;

const columns: Column<Shards[number]>[] = [
  { id: "shard", title: "Shard", cell: ({ shardId, state }) => `${shardId}${STATES[state]}` },
  {
    id: "subKeys",
    title: "Sub-keys",
    cell: ({ partitionKeys, state }) => (
      <span className="code">{(state === "closed" ? "" : partitionKeys.join(", ")) || "–"}</span>
    ),
  },
  {
    id: "now",
    title: "Now",
    number: true,
    cell: ({ before, state }) => (state === "opened" ? "–" : <Measured value={before} unit="ratio" />),
  },
  {
    id: "after",
    title: "After",
    cell: ({ before, after, state }) =>
      state === "closed" ? "–" : <LoadAfter before={before} after={after} />,
  },
];
