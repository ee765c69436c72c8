import type { SymbolPreview } from "../contract";
import { Ago } from "../parts/ago";
import { explainFailure } from "../parts/explain-failure";
import { formatQuantity } from "../parts/format";
import { Measured } from "../parts/measured";
import { StateBadge } from "../parts/state-badge";
import { useNow } from "../parts/use-now";
import { UtilizationBar } from "../parts/utilization-bar";

type SplitPreviewProps = {
  symbol: string;
  preview: SymbolPreview | undefined;
  /** When it was read, by this browser's clock. */
  readAt: number;
  error: unknown;
  /** It belongs to what was typed before. */
  isBusy: boolean;
};

/** It is read every second. */
const OLD_MS = 5_000;

const WARNINGS: Record<SymbolPreview["warnings"][number], string> = {
  "more than shards": "There are fewer shards than that: some sub-keys share one.",
  "shared shards": "Sub-keys share a shard: it buys less than the factor says.",
  "does not fit": "It does not fit: orders would still be throttled. Add shards to the log.",
  "no room": "It fits, but leaves less than 30 % for a burst.",
  "no data": "No server reports how many orders come in: the loads are not known.",
};

/** Where each sub-key lands, and every shard's load before and after. */
export function SplitPreview({ symbol, preview, readAt, error, isBusy }: SplitPreviewProps) {
  const now = useNow();
  const failure = error ? explainFailure(error) : null;
  const isOld = !isBusy && (failure !== null || now - readAt > OLD_MS);
  if (!preview) {
    return failure ? (
      <p role="alert">
        <StateBadge state="unknown" word={failure.title} /> {failure.text}
      </p>
    ) : (
      <p className="skeleton">Where each sub-key lands, and each shard's load</p>
    );
  }
  const { shards, fullest, distinctShards, warnings, subKeys } = preview;
  // With many shards only those that gain or lose something matter.
  const seen =
    shards.length <= 8
      ? shards
      : shards.filter(
          shard => shard.partitionKeys.length > 0 || (shard.before ?? 0) - (shard.after ?? 0) > 0.01,
        );
  return (
    <section aria-label="Preview" aria-busy={isBusy} className="split-preview">
      <h3 className="label">
        {subKeys.length === 1
          ? `${symbol} on one shard`
          : `${subKeys.length} sub-keys on ${distinctShards} shards`}
        {fullest &&
          `: shard ${fullest.shardId} the fullest, ${formatQuantity(fullest.utilization, "ratio")} of its limit in ${fullest.bound}`}
      </h3>
      {isOld && (
        <p className="mb-1.5 text-[0.8125rem]" role="status">
          <StateBadge state="unknown" word="Old figures" /> As of <Ago at={readAt} />.{" "}
          {failure ? `${failure.title}.` : "The server has not answered since."}
        </p>
      )}
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Shard</th>
            <th scope="col">Sub-key</th>
            <th scope="col" className="number">
              Now
            </th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {seen.map(shard => (
            <tr key={shard.shardId}>
              <td>{shard.shardId}</td>
              <td className="code">{shard.partitionKeys.join(", ") || "–"}</td>
              <td className="number">
                <Measured value={shard.before} unit="ratio" />
              </td>
              <td>
                <span className="flex items-center gap-2">
                  <UtilizationBar utilization={shard.after} before={shard.before} />
                  <span>
                    <Measured value={shard.after} unit="ratio" />
                  </span>
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {warnings.map(warning => (
        <p key={warning} className="mt-1.5 text-[0.8125rem]">
          <StateBadge
            state={warning === "no data" ? "unknown" : warning === "no room" ? "warning" : "critical"}
            word={warning}
          />{" "}
          {WARNINGS[warning]}
        </p>
      ))}
    </section>
  );
}
