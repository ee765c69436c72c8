import type { Instruments } from "./instruments";
import { ROLLUPS } from "./rollups";

/** Ten times the design load of docs/scale.md: more is a mistake, and must not fill the memory. */
const [MAX_SHARDS, MAX_SYMBOLS] = [5_000, 10_000];
/** A thousand symbols on twenty shards each, within the ten minutes in which a pair is remembered. */
const MAX_PAIRS = 20_000;
/** The longest time that is read again of a symbol's counts (its heat), and of a pair's: six hours, and seconds. */
const [SYMBOLS_KEPT_MS, PAIRS_KEPT_MS] = [ROLLUPS[1]!.keptMs, ROLLUPS[0]!.keptMs];

/** The child of a symbol's records on one shard. */
export const pairOf = (shardId: string, symbol: string): string => `${shardId}:${symbol}`;

/** What a process that submits orders counts. */
export function createProducerMetrics(instruments: Instruments) {
  const perShard = (name: string, help: string) =>
    instruments.openCounters({ name, help, label: "shard", max: MAX_SHARDS });
  const perSymbol = (name: string, help: string) =>
    instruments.openCounters({ name, help, label: "symbol", max: MAX_SYMBOLS, keptMs: SYMBOLS_KEPT_MS });
  return {
    offered: perSymbol("orders_offered_total", "Valid orders that came in, refused ones included."),
    accepted: perSymbol("orders_accepted_total", "Orders taken into the buffer, by symbol."),
    durable: perSymbol("orders_durable_total", "Orders in the log, by symbol."),
    symbolRecords: perSymbol("symbol_records_total", "Records that became durable, by symbol."),
    symbolBytes: perSymbol("symbol_bytes_total", "Bytes of those records with their keys, by symbol."),
    shardSymbolRecords: instruments.openCounters({
      name: "shard_symbol_records_total",
      help: "Records that became durable, by shard and symbol.",
      label: "shard_symbol",
      max: MAX_PAIRS,
      keptMs: PAIRS_KEPT_MS,
    }),
    refused: instruments.counter({
      name: "orders_refused_total",
      help: "Orders turned away with a time to try again: the buffer was full, or the symbol is paused.",
    }),
    records: perShard("order_records_total", "Records that became durable, by shard."),
    bytes: perShard("order_bytes_total", "Bytes of those records with their keys, by shard."),
    throttled: perShard("order_throttled_total", "Records that met a shard's limit and were sent again."),
  };
}
export type ProducerMetrics = ReturnType<typeof createProducerMetrics>;

/** What an aggregator counts and measures. */
export function createAggregatorMetrics(instruments: Instruments) {
  return {
    released: instruments.openCounters({
      name: "orders_ordered_total",
      help: "Orders put in order, by symbol.",
      label: "symbol",
      max: MAX_SYMBOLS,
      keptMs: SYMBOLS_KEPT_MS,
    }),
    lagMs: instruments.gauge({ name: "aggregator_lag_ms", help: "Age of the watermark that all wait for." }),
    buffered: instruments.gauge({
      name: "aggregator_buffered_events",
      help: "Orders that wait for their turn.",
    }),
    memoryBytes: instruments.gauge({ name: "aggregator_memory_bytes", help: "Resident memory." }),
    deadLetters: instruments.counters({
      name: "orders_dead_letters_total",
      help: "Dead letters of the order log, by reason; late_events are those with reason late or unclear.",
      label: "reason",
      values: ["late", "unclear", "malformed", "unknown_symbol", "time_ahead", "gap"],
    }),
    duplicates: instruments.counter({ name: "orders_duplicate_total", help: "Repeats that were left out." }),
    ingest: instruments.histogram({
      name: "order_ingest_seconds",
      help: "From an order's stamp until the log took it, by the oldest order of each write.",
    }),
    shardWait: instruments.histogram({
      name: "order_shard_wait_seconds",
      help: "From the log until an aggregator read it, by the same orders.",
    }),
    bufferWait: instruments.histogram({
      name: "order_buffer_wait_seconds",
      help: "From there until it was written in order, by the same orders.",
    }),
    fenced: instruments.counter({
      name: "producers_fenced_total",
      help: "Producers that were silent for too long and had to join again.",
    }),
    clockSteps: instruments.counters({
      name: "clock_steps_total",
      help: "Steps of a quarter of a second or more of a clock that should pass evenly, by whose it is.",
      label: "clock",
      values: ["redis", "host"],
    }),
    logMemoryUtilization: instruments.gauge({
      name: "order_log_memory_utilization",
      help: "Redis' memory in use, as a ratio of its limit; absent without a limit.",
    }),
  };
}
export type AggregatorMetrics = ReturnType<typeof createAggregatorMetrics>;

/** What an engine counts and measures. */
export function createEngineMetrics(instruments: Instruments) {
  const counter = (name: string, help: string) => instruments.counter({ name, help });
  return {
    orders: instruments.openCounters({
      name: "engine_orders_total",
      help: "Orders the engine took, by symbol.",
      label: "symbol",
      max: MAX_SYMBOLS,
      keptMs: SYMBOLS_KEPT_MS,
    }),
    trades: counter("engine_trades_total", "Matches."),
    rejects: counter("engine_rejects_total", "Orders the engine refused."),
    violations: counter(
      "order_violations_total",
      "Orders at or below their predecessor's stamp: must stay 0.",
    ),
    gaps: counter("engine_gaps_total", "Orders missing in an ordered stream: must stay 0."),
    sinceOrdered: instruments.histogram({
      name: "order_engine_seconds",
      help: "From the ordered stream until results are stored, by the oldest frame of each read.",
    }),
    latency: instruments.histogram({
      name: "order_latency_seconds",
      help: "From an order's stamp to the engine, by the oldest order of each frame.",
    }),
  };
}
export type EngineMetrics = ReturnType<typeof createEngineMetrics>;
