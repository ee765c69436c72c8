import { useId } from "react";
import type { ShardList } from "../contract";
import { formatQuantity } from "../parts/format";

type ShardSelectProps = {
  label: string;
  rows: ShardList["rows"];
  value: string;
  onValue: (shardId: string) => void;
};

/** One of the shards, each with its load and its part of the hash space. */
export function ShardSelect({ label, rows, value, onValue }: ShardSelectProps) {
  const id = useId();
  return (
    <div>
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <select id={id} className="input" value={value} onChange={event => onValue(event.target.value)}>
        {rows.every(({ shardId }) => shardId !== value) && <option value={value}>–</option>}
        {rows.map(({ shardId, utilization, share }) => (
          <option key={shardId} value={shardId}>
            {shardId}:{" "}
            {utilization === null ? "no data" : `${formatQuantity(utilization, "ratio")} of its limit`},{" "}
            {formatQuantity(share, "ratio")} of the hash space
          </option>
        ))}
      </select>
    </div>
  );
}
