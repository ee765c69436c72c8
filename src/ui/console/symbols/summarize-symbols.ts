import { FULL_UTILIZATION, utilizationOf } from "../../../domain/orders/shard-load";
import type { SymbolPage } from "../contract";
import { formatQuantity } from "../parts/format";
import type { State } from "../parts/state-badge";
import type { SummaryPart } from "../parts/status-summary";
import { worstState } from "../parts/summary-state";

type SymbolsSummary = { state: State; word: string; parts?: SummaryPart[] };
type Summarized = Pick<SymbolPage, "shards" | "limits" | "urgent" | "split" | "halted" | "offeredPerSecond">;

/** The state of all symbols is the worst of the urgent symbol and of the parts shown beside it. */
export function summarizeSymbols(list: Summarized): SymbolsSummary {
  const { shards, urgent, halted } = list;
  if (shards.some(({ flow }) => flow === null))
    return { state: "unknown", word: "The load is unknown: no server reports it" };
  const throttled = throttledPart(list);
  const fullest = fullestShard(list);
  const parts: SummaryPart[] = [
    fullestPart(fullest),
    throttled,
    { title: "Order rate", text: formatQuantity(list.offeredPerSecond, "perSecond") },
    { title: "Split symbols", text: list.split.join(", ") || "–" },
  ];
  if (halted.length > 0) parts.push({ title: "Halted symbols", state: "warning", text: shortList(halted) });
  const state = worstState([...parts, { state: urgent ? "critical" : "ok" }]);
  return { state, word: wordOf(list, throttled.state === "critical", fullest), parts };
}

/** The utilization of a shard; null when no server reports it, or the shard has no limit. */
export function utilizationOfShard(
  { shards, limits }: Pick<SymbolPage, "shards" | "limits">,
  shardId: string,
): number | null {
  const flow = shards.find(shard => shard.shardId === shardId)?.flow;
  return flow ? (utilizationOf(flow, limits)?.utilization ?? null) : null;
}

type Fullest = { shardId: string; utilization: number } | null;

function fullestShard(list: Summarized): Fullest {
  let fullest: Fullest = null;
  for (const { shardId } of list.shards) {
    const utilization = utilizationOfShard(list, shardId);
    if (utilization !== null && utilization > (fullest?.utilization ?? -1))
      fullest = { shardId, utilization };
  }
  return fullest;
}

function wordOf({ urgent, halted }: Summarized, isThrottled: boolean, fullest: Fullest): string {
  if (urgent) {
    const { symbol, factor, mergedUtilization } = urgent;
    const verb = (mergedUtilization ?? 0) / factor > 1 ? "exceeds" : "fills";
    return `${symbol} ${verb} ${factor === 1 ? "one shard" : `its ${factor} shards`}`;
  }
  if (isThrottled) return "Shards throttle records, but no single symbol fills a shard";
  if (fullest && fullest.utilization > 1) return fullestText(fullest);
  if (halted.length > 0) return `${shortList(halted)} ${halted.length === 1 ? "is" : "are"} halted`;
  if (fullest && fullest.utilization > FULL_UTILIZATION) return fullestText(fullest);
  return "Every shard has room";
}

const fullestText = ({ shardId, utilization }: NonNullable<Fullest>) =>
  `Shard ${shardId} is at ${formatQuantity(utilization, "ratio")} of its limit`;

const SHOWN = 3;

function shortList(symbols: readonly string[]): string {
  const shown = symbols.slice(0, SHOWN).join(", ");
  return symbols.length > SHOWN ? `${shown} and ${symbols.length - SHOWN} more` : shown;
}

function throttledPart({ shards }: Summarized): SummaryPart {
  const throttled = shards.filter(({ flow }) => flow && flow.throttledPerSecond > 0);
  return {
    title: "Throttled shards",
    state: throttled.length > 0 ? "critical" : "ok",
    text: throttled.map(({ shardId }) => shardId).join(", ") || "none",
  };
}

function fullestPart(fullest: Fullest): SummaryPart {
  const title = "Fullest shard";
  if (!fullest) return { title, text: "no limit" };
  const { shardId, utilization } = fullest;
  return {
    title,
    state: utilization > 1 ? "critical" : utilization > FULL_UTILIZATION ? "warning" : "ok",
    text: `${shardId}, ${formatQuantity(utilization, "ratio")}`,
  };
}
