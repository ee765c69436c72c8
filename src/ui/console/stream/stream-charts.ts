import type { FlowLimits } from "../../../domain/orders/shard-load";
import type { ChartSpec } from "../charts/chart-spec";
import { OTHERS } from "./shard-lines";

const [blue, amber, violet, red, green, grey] = [1, 2, 3, 4, 5, 6].map(n => `var(--series-${n})`) as [
  ...[string, string, string],
  ...[string, string, string],
];
const COLOURS = [blue, amber, violet, green, red, grey];

/** How long orders may wait before somebody has to look. */
const LAG_LIMIT_MS = 250;

function shardLinesOf(named: readonly string[], hasOthers: boolean) {
  const lines = named.map((id, i) => ({ id, label: `shard ${id}`, colour: COLOURS[i % COLOURS.length]! }));
  return hasOthers ? [...lines, { id: OTHERS, label: "the fullest other", colour: grey }] : lines;
}

/** What each shard takes against its limits, and what they refuse; the headline is the fullest shard. */
export const shardCharts = (
  named: readonly string[],
  hasOthers: boolean,
  limits: FlowLimits,
): [ChartSpec, ChartSpec, ChartSpec] => {
  const where = named.length === 1 ? `shard ${named[0]}` : "the fullest shard";
  const common = { legend: true, lines: shardLinesOf(named, hasOthers), headline: "fullest" };
  return [
    {
      ...common,
      title: `Records into ${where}`,
      about: "Records per second that a shard takes, against the most that it may.",
      unit: "perSecond",
      ...limitAt(limits.recordsPerSecond),
    },
    {
      ...common,
      title: `Bytes into ${where}`,
      about: "Bytes of those records with their keys per second, against the most that a shard may take.",
      unit: "bytesPerSecond",
      ...limitAt(limits.bytesPerSecond),
    },
    {
      ...common,
      title: "Throttled",
      about: "Records per second that met a shard's limit and are sent again after a pause.",
      unit: "perSecond",
      limit: { value: 0, label: "should be" },
      leastTop: 1,
    },
  ];
};

/** 0: shards have no such limit. */
const limitAt = (value: number) =>
  value > 0 ? { limit: { value, label: "limit" }, leastTop: value * 1.25 } : { leastTop: 10 };

/** What becomes of the orders behind the shards. */
export const STREAM_CHARTS: readonly ChartSpec[] = [
  {
    title: "Aggregator lag",
    about: "aggregator_lag_ms: the age of the watermark that all orders wait for.",
    unit: "ms",
    lines: [{ id: "aggregator_lag_ms", label: "lag", colour: blue }],
    headline: "aggregator_lag_ms",
    limit: { value: LAG_LIMIT_MS, label: "late from" },
    leastTop: LAG_LIMIT_MS * 1.25,
  },
  {
    title: "Where orders wait, median",
    about:
      "Of half of the orders, oldest first: stamp to log (ingest), until an aggregator reads it (shard), until it may go on in order (buffer), until its results are stored (engine).",
    unit: "ms",
    stacked: true,
    lines: [
      { id: "order_ingest_p50_ms", label: "ingest", colour: blue },
      { id: "order_shard_wait_p50_ms", label: "shard", colour: violet },
      { id: "order_buffer_wait_p50_ms", label: "buffer", colour: amber },
      { id: "order_engine_p50_ms", label: "engine", colour: green },
    ],
    headline: "order_latency_p50_ms",
    leastTop: 50,
  },
  {
    title: "From stamp to engine, p95",
    about: "order_latency_seconds: from an order's stamp until the engine has it.",
    unit: "ms",
    legend: true,
    lines: [
      { id: "order_latency_p50_ms", label: "p50", colour: grey },
      { id: "order_latency_p95_ms", label: "p95", colour: blue },
      { id: "order_latency_p99_ms", label: "p99", colour: violet },
    ],
    headline: "order_latency_p95_ms",
    leastTop: 100,
  },
  {
    title: "Buffered orders",
    about: "Orders in the aggregators that wait for their turn.",
    unit: "orders",
    lines: [{ id: "aggregator_buffered_events", label: "orders", colour: blue }],
    headline: "aggregator_buffered_events",
    leastTop: 100,
  },
  {
    title: "Order violations and gaps",
    about: "Orders that reached the engine below their predecessor's stamp, or are missing. Must stay 0.",
    unit: "perSecond",
    lines: [{ id: "order_violations_per_s", label: "violations", colour: red }],
    headline: "order_violations_per_s",
    limit: { value: 0, label: "must stay" },
    leastTop: 1,
  },
  {
    title: "Late, malformed, rejected",
    about:
      "Events that came after their place was passed, or make no sense: they are set aside, not lost. And orders that the engine refused, such as a sale of what an account does not hold.",
    unit: "perSecond",
    legend: true,
    lines: [
      { id: "late_events_per_s", label: "late", colour: red },
      { id: "malformed_events_per_s", label: "malformed or unknown", colour: violet },
      { id: "engine_rejects_per_s", label: "rejected by the engine", colour: amber },
    ],
    headline: "late_events_per_s",
    leastTop: 1,
  },
];
