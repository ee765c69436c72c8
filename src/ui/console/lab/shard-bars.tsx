import { SHARD_RECORDS_PER_SECOND } from "../../../domain/lab/scenario";
import { formatCount } from "../parts/format";

type ShardBarsProps = {
  /** Null: it has not run. */
  records: readonly number[] | null;
  /** How long orders have been sent. */
  seconds: number;
};

/** What each shard took, against what it can take in that time and the second that it saves up. */
export function ShardBars({ records, seconds }: ShardBarsProps) {
  // Nothing known is hatched: shards that took nothing would be bars of no height.
  if (!records)
    return (
      <div className="lab-shards" role="img" aria-label="Records per shard: it has not run" data-empty />
    );
  const room = SHARD_RECORDS_PER_SECOND * (seconds + 1);
  const label = records.map((count, id) => `shard ${id} ${formatCount(count)}`).join(", ");
  return (
    <div className="lab-shards" role="img" aria-label={`Records per shard: ${label}`} title={label}>
      <span className="lab-limit" aria-hidden="true">
        limit
      </span>
      {records.map((count, id) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: a shard is its number.
          key={id}
          className="lab-shard"
          data-full={count > room * 0.97 || undefined}
          style={{ "--part": Math.min(1, count / room) } as React.CSSProperties}
        />
      ))}
    </div>
  );
}
