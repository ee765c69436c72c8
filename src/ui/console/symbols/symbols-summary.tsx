import type { SymbolPage } from "../contract";
import { formatQuantity } from "../parts/format";
import type { State } from "../parts/state-badge";
import { StatusSummary, type SummaryPart } from "../parts/status-summary";

type SymbolsSummaryProps = { list: SymbolPage; isOld: boolean; onMark: (symbol: string) => void };

/** Does any symbol flood its shard, and which one to mark? */
export function SymbolsSummary({ list, isOld, onMark }: SymbolsSummaryProps) {
  const { shards, urgent: first, split } = list;
  const isCounted = shards.every(({ flow }) => flow !== null);
  const throttled = shards.filter(({ flow }) => flow && flow.throttledPerSecond > 0);
  const state: State = isOld || !isCounted ? "unknown" : first || throttled.length > 0 ? "critical" : "ok";
  const word = isOld
    ? "A while ago: the server does not answer"
    : !isCounted
      ? "No server counts orders at the moment"
      : first
        ? `${first.symbol} ${(first.mergedUtilization ?? 0) / first.factor > 1 ? "is more than" : "fills"} ${first.factor === 1 ? "one shard" : `its ${first.factor} shards`}`
        : throttled.length > 0
          ? "Shards refuse records, though no symbol alone fills one"
          : "Every symbol has room";
  const parts: SummaryPart[] = [
    { title: "Orders", text: formatQuantity(list.offeredPerSecond, "perSecond") },
    { title: "Split", text: split.join(", ") || "none" },
    {
      title: "Throttled shards",
      state: throttled.length > 0 ? "critical" : "ok",
      text: throttled.map(({ shardId }) => shardId).join(", ") || "none",
    },
  ];
  return (
    <StatusSummary state={state} word={word} parts={isCounted ? parts : undefined}>
      {first && !isOld && (
        <button
          type="button"
          className={first.suggestion ? "btn btn-outline" : "btn btn-primary"}
          onClick={() => onMark(first.symbol)}
        >
          {first.factor > 1 ? `Look at ${first.symbol}` : `Why is ${first.symbol} hot?`}
        </button>
      )}
    </StatusSummary>
  );
}
