import type { ProcessKind } from "./flusher";
import { CHECK_STATUSES, FALLBACK_REASONS } from "./gate-metrics";
import { idOf } from "./instruments";

/** How a chart's line is computed from the counts. No line where no such process reported. */
export type SeriesSpec = { from: ProcessKind } & (
  | { is: "perSecond"; of: string[] }
  /** Null where `over` is 0. */
  | { is: "ratio"; of: string[]; over: string[] }
  /** Milliseconds; null where nothing was measured. */
  | { is: "percentile"; of: string; quantile: number }
  /** The highest value of the time. */
  | { is: "highest"; of: string }
);

const lookups = (...answers: string[]) => answers.map(answer => idOf("bloom_lookups_total", answer));
const fallbacks = (...reasons: string[]) => reasons.map(reason => idOf("db_fallback_total", reason));
const perSecond = (...of: string[]): SeriesSpec => ({ from: "server", is: "perSecond", of });
const signup = (quantile: number): SeriesSpec => ({
  from: "server",
  is: "percentile",
  of: "signup_latency_seconds",
  quantile,
});
const engine = (...of: string[]): SeriesSpec => ({ from: "engine", is: "perSecond", of });
const deadLetters = (...reasons: string[]): SeriesSpec => ({
  from: "aggregator",
  is: "perSecond",
  of: reasons.map(reason => idOf("orders_dead_letters_total", reason)),
});
const median = (from: ProcessKind, of: string): SeriesSpec => ({ from, is: "percentile", quantile: 0.5, of });
const orderLatency = (quantile: number): SeriesSpec => ({
  from: "engine",
  is: "percentile",
  quantile,
  of: "order_latency_seconds",
});

export const SERIES = {
  checks_per_s: perSecond(...CHECK_STATUSES.map(status => idOf("username_checks_total", status))),
  bloom_exists_true_rate: {
    from: "server",
    is: "ratio",
    of: lookups("maybe"),
    over: lookups("maybe", "absent"),
  },
  db_fallback_rate: {
    from: "server",
    is: "ratio",
    of: fallbacks(...FALLBACK_REASONS),
    over: lookups("maybe", "absent", "unavailable"),
  },
  fallback_maybe_per_s: perSecond(...fallbacks("maybe")),
  fallback_filter_unavailable_per_s: perSecond(...fallbacks("filter_unavailable")),
  fallback_timeout_per_s: perSecond(...fallbacks("timeout")),
  fallback_breaker_open_per_s: perSecond(...fallbacks("breaker_open")),
  fallback_relay_behind_per_s: perSecond(...fallbacks("relay_behind")),
  false_positive_rate_est: {
    from: "server",
    is: "ratio",
    of: ["bloom_false_positive_total"],
    over: ["bloom_false_positive_total", ...lookups("absent")],
  },
  bloom_false_negatives_per_s: perSecond("bloom_false_negative_total"),
  signups_per_s: perSecond(idOf("signups_total", "created")),
  signup_p50_ms: signup(0.5),
  signup_p95_ms: signup(0.95),
  signup_p99_ms: signup(0.99),
  outbox_lag_seconds: { from: "relay", is: "highest", of: "outbox_lag_seconds" },
  outbox_backlog: { from: "relay", is: "highest", of: "outbox_backlog" },
  relay_delivered_per_s: { from: "relay", is: "perSecond", of: [idOf("relay_events_total", "delivered")] },
  /** Checks and signups that were shed, not answered wrongly. */
  busy_per_s: perSecond(idOf("username_checks_total", "busy"), idOf("signups_total", "busy")),
  aggregator_lag_ms: { from: "aggregator", is: "highest", of: "aggregator_lag_ms" },
  aggregator_buffered_events: { from: "aggregator", is: "highest", of: "aggregator_buffered_events" },
  late_events_per_s: deadLetters("late", "unclear"),
  malformed_events_per_s: deadLetters("malformed", "unknown_symbol", "time_ahead", "gap"),
  order_violations_per_s: engine("order_violations_total", "engine_gaps_total"),
  engine_rejects_per_s: engine("engine_rejects_total"),
  engine_trades_per_s: engine("engine_trades_total"),
  order_latency_p50_ms: orderLatency(0.5),
  order_latency_p95_ms: orderLatency(0.95),
  order_latency_p99_ms: orderLatency(0.99),
  order_ingest_p50_ms: median("aggregator", "order_ingest_seconds"),
  order_shard_wait_p50_ms: median("aggregator", "order_shard_wait_seconds"),
  order_buffer_wait_p50_ms: median("aggregator", "order_buffer_wait_seconds"),
  order_engine_p50_ms: median("engine", "order_engine_seconds"),
  orders_refused_per_s: perSecond("orders_refused_total"),
} satisfies Record<string, SeriesSpec>;

export type SeriesId = keyof typeof SERIES;
export const SERIES_IDS = Object.keys(SERIES) as [SeriesId, ...SeriesId[]];

/** The names in the rollups that a series reads. */
export function namesOf(spec: SeriesSpec): string[] {
  if (spec.is === "ratio") return [...spec.of, ...spec.over];
  return typeof spec.of === "string" ? [spec.of] : spec.of;
}
