import type { FlowLimits } from "../../../domain/orders/shard-load";
import type { ChartSpec } from "../charts/chart-spec";
import { OTHERS } from "./shard-lines";
import { LAG_LIMIT_MS } from "./summarize-stream";

const blue = "var(--series-1)";
const amber = "var(--series-2)";
const violet = "var(--series-3)";
const red = "var(--series-4)";
const green = "var(--series-5)";
const grey = "var(--series-6)";
const COLOURS = [blue, amber, violet, green, red, grey];

function shardLinesOf(named: readonly string[], hasOthers: boolean) {
  const lines = named.map((id, i) => ({ id, label: `shard ${id}`, colour: COLOURS[i % COLOURS.length]! }));
  return hasOthers ? [...lines, { id: OTHERS, label: "fullest other shard", colour: grey }] : lines;
}

/** The load of each shard against its limits, and the records that shards refuse; the headline is the fullest shard. */
export const shardCharts = (
  named: readonly string[],
  hasOthers: boolean,
  limits: FlowLimits,
): [ChartSpec, ChartSpec, ChartSpec] => {
  const where = named.length === 1 ? `shard ${named[0]}` : "fullest shard";
  const common = { legend: true, lines: shardLinesOf(named, hasOthers), headline: "fullest" };
  return [
    {
      ...common,
      title: `Record rate, ${where}`,
      metric: "order_records_total",
      about: "Records per second that a shard takes, against its limit.",
      unit: "perSecond",
      ...limitAt(limits.recordsPerSecond),
    },
    {
      ...common,
      title: `Byte rate, ${where}`,
      metric: "order_bytes_total",
      about: "Bytes of those records with their keys per second, against the shard's limit.",
      unit: "bytesPerSecond",
      ...limitAt(limits.bytesPerSecond),
    },
    {
      ...common,
      title: "Throttled records",
      metric: "order_throttled_total",
      about: "Records per second that exceeded a shard's limit. Producers retry them after a pause.",
      unit: "perSecond",
      limit: { value: 0, label: "should be", state: "critical" },
      leastTop: 1,
    },
  ];
};

/** 0: shards have no such limit. */
function limitAt(value: number): Pick<ChartSpec, "limit" | "leastTop"> {
  if (value === 0) return { leastTop: 10 };
  return { limit: { value, label: "limit" }, leastTop: value * 1.25 };
}

/** The orders after the shards: aggregation and delivery. */
export const STREAM_CHARTS: readonly ChartSpec[] = [
  {
    title: "Aggregator lag",
    metric: "aggregator_lag_ms",
    about: "The age of the watermark: the aggregator releases only orders that are older.",
    unit: "ms",
    lines: [{ id: "aggregator_lag_ms", label: "lag", colour: blue }],
    headline: "aggregator_lag_ms",
    limit: { value: LAG_LIMIT_MS, label: "limit" },
    leastTop: LAG_LIMIT_MS * 1.25,
  },
  {
    title: "Latency by stage (p50)",
    metric: "order_*_seconds",
    about:
      "The median of each stage: from the stamp to the log (order_ingest_seconds), until an aggregator reads it (order_shard_wait_seconds), until it is released in order (order_buffer_wait_seconds), until its results are stored (order_engine_seconds).",
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
    title: "End-to-end latency",
    metric: "order_latency_seconds",
    about: "From an order's stamp until the engine has it. The current value is the p95.",
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
    metric: "aggregator_buffered_events",
    about: "Orders in the aggregators that wait for the watermark.",
    unit: "orders",
    lines: [{ id: "aggregator_buffered_events", label: "orders", colour: blue }],
    headline: "aggregator_buffered_events",
    leastTop: 100,
  },
  {
    title: "Order violations and gaps",
    metric: "order_violations_total, engine_gaps_total",
    about: "Orders that reached the engine below their predecessor's stamp, or are missing. Must stay 0.",
    unit: "perSecond",
    lines: [{ id: "order_violations_per_s", label: "violations", colour: red }],
    headline: "order_violations_per_s",
    limit: { value: 0, label: "must stay", state: "critical" },
    leastTop: 1,
  },
  {
    title: "Dead letters and rejects",
    metric: "orders_dead_letters_total, engine_rejects_total",
    about:
      "Events that became dead letters: late, malformed, or of an unknown symbol. And orders that the engine rejected, such as a sale of more than the account has.",
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
