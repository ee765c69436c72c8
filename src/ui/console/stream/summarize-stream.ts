import { isCurrent, MAX_STATE_STEP_MS } from "../charts/points";
import type { OrderStatus, ShardSeries } from "../contract";
import { formatCount, formatQuantity } from "../parts/format";
import type { State } from "../parts/state-badge";
import type { SummaryPart } from "../parts/status-summary";
import { worstState } from "../parts/summary-state";

/** Orders are late from this aggregator lag on. */
export const LAG_LIMIT_MS = 250;

type StreamSummary = { state: State; word: string; parts: SummaryPart[] };

/**
 * The stream's state is the worst of its parts.
 * @param throttled shards that the charts show as throttled, beside those that the status names
 */
export function summarizeStream(status: OrderStatus, throttled: readonly string[] = []): StreamSummary {
  const { engines, deadLetters } = status;
  const lag = lagPart(slowestAggregator(status.aggregators));
  const shards = throttledPart(status.shards, throttled);
  const violations = engines.reduce((sum, one) => sum + one.violations, 0);
  const parts: SummaryPart[] = [
    lag,
    ...bufferParts(status, lag.state),
    shards,
    { title: "Order violations", state: violations > 0 ? "critical" : "ok", text: formatCount(violations) },
    { title: "Dead letters", state: deadLetters > 0 ? "warning" : "ok", text: formatCount(deadLetters) },
  ];
  const state = worstState(parts);
  if (violations > 0) return { state, word: "Orders reached the engine out of order", parts };
  if (shards.state === "critical") return { state, word: "Shards throttle orders", parts };
  if (lag.state === "warning") return { state, word: "Orders are delayed", parts };
  if (deadLetters > 0) return { state, word: "Orders are in order; some events are dead letters", parts };
  if (state === "unknown") return { state, word: "The state of the stream is not fully known", parts };
  return { state, word: "Orders are on time and in order", parts };
}

type Aggregator = OrderStatus["aggregators"][number];

/** An aggregator that has symbols but no known lag comes first: it may be one that restarts all the time. */
export function slowestAggregator(aggregators: readonly Aggregator[]): Aggregator | undefined {
  const lag = ({ lagMs, partitions }: Aggregator) =>
    lagMs ?? (partitions.length > 0 ? Number.POSITIVE_INFINITY : -1);
  return aggregators.toSorted((a, b) => lag(b) - lag(a))[0];
}

/** The shards that refused records in the newest point of the series. */
export function throttledShards({ at, stepMs, shards }: ShardSeries, nowMs: number): string[] {
  if (stepMs > MAX_STATE_STEP_MS) return [];
  const isThrottled = (values: readonly (number | null)[]) => {
    const last = values.findLastIndex(value => value !== null);
    return last >= 0 && values[last]! > 0 && isCurrent(at[last]!, { to: nowMs, stepMs });
  };
  return shards.filter(({ throttled }) => isThrottled(throttled)).map(({ shardId }) => shardId);
}

function lagPart(slowest: Aggregator | undefined): SummaryPart {
  const title = "Aggregator lag";
  if (!slowest) return { title, state: "unknown", text: "no aggregator" };
  const { lagMs } = slowest;
  if (lagMs === null) return { title, state: "unknown", text: "no data" };
  return { title, state: lagMs > LAG_LIMIT_MS ? "warning" : "ok", text: formatQuantity(lagMs, "ms") };
}

function bufferParts({ aggregators }: OrderStatus, lagState: State | undefined): SummaryPart[] {
  const slowest = slowestAggregator(aggregators);
  const buffered = aggregators.reduce((sum, one) => sum + one.bufferedEvents, 0);
  return [
    {
      title: "Slowest producer",
      state: slowest && lagState === "warning" ? "warning" : slowest ? "ok" : "unknown",
      text: slowest?.slowestProducer ?? "–",
    },
    {
      title: "Buffered orders",
      state: slowest ? "ok" : "unknown",
      text: slowest ? formatCount(buffered) : "no data",
    },
  ];
}

function throttledPart(shards: OrderStatus["shards"], charted: readonly string[]): SummaryPart {
  const title = "Throttled shards";
  const throttled = shards.filter(
    ({ shardId, flow }) => (flow?.throttledPerSecond ?? 0) > 0 || charted.includes(shardId),
  );
  if (throttled.length > 0)
    return { title, state: "critical", text: throttled.map(({ shardId }) => shardId).join(", ") };
  const isCounted = shards.every(({ flow }) => flow !== null);
  return isCounted ? { title, state: "ok", text: "none" } : { title, state: "unknown", text: "no data" };
}
