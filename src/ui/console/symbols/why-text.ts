import type { SymbolPage, SymbolRow } from "../contract";
import { formatQuantity } from "../parts/format";
import { formatBytes } from "../parts/format-bytes";

/** Why a symbol is what it is, from its own figures, in one or two sentences. */
export function whyText(row: SymbolRow, { limits }: Pick<SymbolPage, "limits">): string {
  const { symbol, flow, mergedUtilization, shard, factor, recommended } = row;
  if (!flow) return "No server has reported in the last seconds: nothing is known about its load.";
  const rate = `${symbol} gets ${formatQuantity(flow.offeredPerSecond, "perSecond")} orders, ${formatBytes(flow.bytesPerSecond)}/s in ${formatQuantity(flow.recordsPerSecond, "perSecond")} records.`;
  if (mergedUtilization === null) return `${rate} Shards have no limit here.`;
  const one = `One shard takes ${formatQuantity(limits.recordsPerSecond, "perSecond")} records or ${formatBytes(limits.bytesPerSecond)}/s: alone it would be ${factor > 1 ? "at most " : ""}${formatQuantity(mergedUtilization, "ratio")} full.`;
  const throttle =
    shard && shard.throttledPerSecond > 0
      ? ` Shard ${shard.shardId} refuses ${formatQuantity(shard.throttledPerSecond, "perSecond")} records at the moment; producers try again.`
      : "";
  const advice =
    recommended === null || recommended === factor
      ? ""
      : recommended === 1
        ? " It no longer needs its split."
        : ` Recommended: split by ${recommended}.`;
  return `${rate} ${one}${throttle}${advice}`;
}
