import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** Why a check or a signup asked the database although there is a filter. */
export type FallbackReason = "maybe" | "filter_unavailable" | "timeout" | "breaker_open";

/** Counters of the username gate, by the names the dashboards use. */
export function createGateMetrics(registry: Registry) {
  const registers = [registry];
  return {
    checks: new Counter({
      name: "username_checks_total",
      help: "Answers of username.check by status.",
      labelNames: ["status"],
      registers,
    }),
    lookups: new Counter({
      name: "bloom_lookups_total",
      help: "Filter look-ups by answer; bloom_exists_true_rate = maybe / (maybe + absent).",
      labelNames: ["answer"],
      registers,
    }),
    fallbacks: new Counter({
      name: "db_fallback_total",
      help: "Questions that went to the database, by reason; db_fallback_rate = this / bloom_lookups_total.",
      labelNames: ["reason"],
      registers,
    }),
    falsePositives: new Counter({
      name: "bloom_false_positive_total",
      help: "Maybe from the filter, not in the database; false_positive_rate_est = this / (this + absent).",
      registers,
    }),
    falseNegatives: new Counter({
      name: "bloom_false_negative_total",
      help: "A UNIQUE conflict after the filter said absent: a broken filter, a late relay, or a race.",
      registers,
    }),
    signups: new Counter({
      name: "signups_total",
      help: "Signups by outcome.",
      labelNames: ["outcome"],
      registers,
    }),
    signupLatency: new Histogram({
      name: "signup_latency_seconds",
      help: "Time of account.signUp; signup_p95_latency is its 95th percentile.",
      buckets: [0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 5],
      registers,
    }),
  };
}

export type GateMetrics = ReturnType<typeof createGateMetrics>;

/** Gauges and counters of a relay process. */
export function createRelayMetrics(registry: Registry) {
  const registers = [registry];
  return {
    lagSeconds: new Gauge({
      name: "outbox_lag_seconds",
      help: "Age of the oldest pending event.",
      registers,
    }),
    backlog: new Gauge({ name: "outbox_backlog", help: "Events not yet in the filter.", registers }),
    deadLetters: new Gauge({
      name: "outbox_dead_letters",
      help: "Events set aside after data errors.",
      registers,
    }),
    events: new Counter({
      name: "relay_events_total",
      help: "Events by outcome, each counted once when delivered.",
      labelNames: ["outcome"],
      registers,
    }),
    replayed: new Counter({ name: "relay_replayed_total", help: "Events delivered once more.", registers }),
    shards: new Gauge({
      name: "filter_shards",
      help: "Shards of a version by state; anything but 256 sealed means database fallback.",
      labelNames: ["version", "state"],
      registers,
    }),
  };
}

export type RelayMetrics = ReturnType<typeof createRelayMetrics>;
