import type { SymbolPage, SymbolRow } from "../contract";
import { formatQuantity } from "../parts/format";
import { formatBytes } from "../parts/format-bytes";

/** The cause of a symbol's state, from its own figures. */
export function whyText(row: SymbolRow, { limits }: Pick<SymbolPage, "limits">): string {
  const { symbol, flow, mergedUtilization, shard, factor, recommended } = row;
  if (!flow) return "No server reported in the last seconds: the load is unknown.";
  const perSecond = (value: number) => formatQuantity(value, "perSecond");
  const rate = `Order rate ${perSecond(flow.offeredPerSecond)}: ${formatBytes(flow.bytesPerSecond)}/s, records ${perSecond(flow.recordsPerSecond)}.`;
  if (mergedUtilization === null) return `${rate} Shards have no limit.`;
  const limit = `The limit of one shard: records ${perSecond(limits.recordsPerSecond)} or ${formatBytes(limits.bytesPerSecond)}/s.`;
  const need = `Without a split, ${symbol} needs ${factor > 1 ? "at most " : ""}${formatQuantity(mergedUtilization, "ratio")} of it.`;
  const throttle =
    shard && shard.throttledPerSecond > 0
      ? ` Shard ${shard.shardId} throttles records, ${perSecond(shard.throttledPerSecond)}; producers retry them.`
      : "";
  const advice =
    recommended === null || recommended === factor
      ? ""
      : recommended === 1
        ? " The split is no longer needed."
        : ` Recommended: split by ${recommended}.`;
  return `${rate} ${limit} ${need}${throttle}${advice}`;
}
