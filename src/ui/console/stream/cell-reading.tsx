import { formatQuantity } from "../parts/format";
import { formatBytes } from "../parts/format-bytes";
import type { HeatCell } from "./heat-cells";

const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

/** A cell in words. */
export function cellText({ utilization, records, bytes, throttled }: HeatCell): string {
  if (records === null || bytes === null) return "no data";
  const parts = [
    utilization === null ? "no limit" : `${formatQuantity(utilization, "ratio")} of its limit`,
    `${formatQuantity(records, "perSecond").replace(" /s", "")} records/s`,
    `${formatBytes(bytes)}/s`,
  ];
  if (throttled) parts.push(`${formatQuantity(throttled, "perSecond").replace(" /s", "")} throttled/s`);
  return parts.join(", ");
}

type CellReadingProps = { shardId: string; at: number; cell: HeatCell };

/** The cell under the cursor; a screen reader reads it as the keyboard moves the cursor. */
export function CellReading({ shardId, at, cell }: CellReadingProps) {
  return (
    <span role="status">
      Shard {shardId}, {clock.format(at)}: {cellText(cell)}
    </span>
  );
}
