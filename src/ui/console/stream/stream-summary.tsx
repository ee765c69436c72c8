import type { OrderStatus } from "../contract";
import { formatCount, formatQuantity } from "../parts/format";
import type { State } from "../parts/state-badge";
import { StatusSummary, type SummaryPart } from "../parts/status-summary";
import { slowestOf } from "./slowest";

type StreamSummaryProps = { status: OrderStatus; isOld: boolean };

/** Do orders get through, in order and in time? If not, who is waited for. */
export function StreamSummary({ status, isOld }: StreamSummaryProps) {
  const parts = partsOf(status);
  const worst = (["critical", "warning", "unknown"] as const).find(tone =>
    parts.some(({ state }) => state === tone),
  );
  const state: State = isOld ? "unknown" : (worst ?? "ok");
  const isOnlyDeadLetters =
    state === "warning" && parts.every(part => part.state === "ok" || part.title === ASIDE);
  const word = isOld
    ? "A while ago: the server does not answer"
    : isOnlyDeadLetters
      ? "In order, but some are set aside"
      : {
          ok: "Orders get through in order",
          warning: "Orders get through, with delay",
          critical: "Orders are held up",
          unknown: "Not everything is known",
        }[state];
  return <StatusSummary state={state} word={word} parts={parts} />;
}

const LAG_LIMIT_MS = 250;
const ASIDE = "Set aside";

function partsOf({ aggregators, engines, deadLetters, shards }: OrderStatus): SummaryPart[] {
  const slowest = slowestOf(aggregators);
  const lagMs = slowest?.lagMs ?? null;
  const waiting = aggregators.reduce((sum, one) => sum + one.waiting, 0);
  const violations = engines.reduce((sum, one) => sum + one.violations, 0);
  const isCounted = shards.every(({ flow }) => flow !== null);
  const refused = shards.filter(({ flow }) => flow && flow.throttledPerSecond > 0);
  return [
    {
      title: "Lag",
      state: !slowest || lagMs === null ? "unknown" : lagMs > LAG_LIMIT_MS ? "warning" : "ok",
      text: !slowest ? "no aggregator" : lagMs === null ? "no data" : formatQuantity(lagMs, "ms"),
    },
    {
      title: "Waits for",
      state: slowest ? (lagMs !== null && lagMs > LAG_LIMIT_MS ? "warning" : "ok") : "unknown",
      text: slowest?.slowestProducer ?? "nobody",
    },
    {
      title: "Buffered",
      state: slowest ? "ok" : "unknown",
      text: slowest ? formatCount(waiting) : "no data",
    },
    {
      title: "Throttled shards",
      state: refused.length > 0 ? "critical" : isCounted ? "ok" : "unknown",
      text: refused.map(({ shardId }) => shardId).join(", ") || (isCounted ? "none" : "no data"),
    },
    { title: "Order violations", state: violations > 0 ? "critical" : "ok", text: formatCount(violations) },
    { title: ASIDE, state: deadLetters > 0 ? "warning" : "ok", text: formatCount(deadLetters) },
  ];
}
