import { SHARD_RECORDS_PER_SECOND } from "../../../domain/lab/scenario";
import { formatCount } from "../parts/format";

type ShardBarsProps = {
  /** Null: the scenario has not run. */
  records: readonly number[] | null;
  /** The time for which orders have been sent. */
  seconds: number;
};

/** The records of each shard, against its limit for this time and one second of burst. */
export function ShardBars({ records, seconds }: ShardBarsProps) {
  // No data is hatched: bars of shards without records would have no height.
  if (!records)
    return <div className="lab-shards" role="img" aria-label="Records per shard: no data" data-empty />;
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
