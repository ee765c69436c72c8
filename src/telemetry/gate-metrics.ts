import type { Availability } from "../domain/username/availability";
import type { Instruments } from "./instruments";

/** Why a check or a signup asked the database although there is a filter. */
export type FallbackReason = "maybe" | "filter_unavailable" | "timeout" | "breaker_open" | "relay_behind";

export const CHECK_STATUSES = [
  "available",
  "taken",
  "reserved",
  "invalid",
  "busy",
] as const satisfies Availability["status"][];
export const FALLBACK_REASONS = [
  "maybe",
  "filter_unavailable",
  "timeout",
  "breaker_open",
  "relay_behind",
] as const satisfies FallbackReason[];

/** The counters of the username gate, by the names that the dashboards use. */
export function createGateMetrics(instruments: Instruments) {
  return {
    checks: instruments.counters({
      name: "username_checks_total",
      help: "Answers of username.check by status.",
      label: "status",
      values: CHECK_STATUSES,
    }),
    lookups: instruments.counters({
      name: "bloom_lookups_total",
      help: "Filter look-ups by answer; bloom_exists_true_rate = maybe / (maybe + absent).",
      label: "answer",
      values: ["absent", "maybe", "unavailable"],
    }),
    fallbacks: instruments.counters({
      name: "db_fallback_total",
      help: "Questions that went to the database, by reason; db_fallback_rate = this / bloom_lookups_total.",
      label: "reason",
      values: FALLBACK_REASONS,
    }),
    canary: instruments.counters({
      name: "bloom_canary_total",
      help: "Look-ups that the candidate version answered, by answer.",
      label: "answer",
      values: ["absent", "maybe", "unavailable"],
    }),
    shadow: instruments.counters({
      name: "bloom_shadow_total",
      help: "Look-ups in the active version and the candidate; missed: only the candidate lacks a taken name.",
      label: "outcome",
      values: ["same", "differs", "missed", "activeMissed", "unknown"],
    }),
    falsePositives: instruments.counter({
      name: "bloom_false_positive_total",
      help: "Maybe from the filter, not in the database; false_positive_rate_est = this / (this + absent).",
    }),
    falseNegatives: instruments.counter({
      name: "bloom_false_negative_total",
      help: "A UNIQUE conflict after the filter answered absent, with no event pending: a broken filter, or a race.",
    }),
    signups: instruments.counters({
      name: "signups_total",
      help: "Signups by outcome.",
      label: "outcome",
      values: ["created", "repeated", "bad_request", "conflict", "busy", "error"],
    }),
    signupsWaiting: instruments.gauge({
      name: "signups_waiting",
      help: "Signups that wait for their turn to hash a password.",
    }),
    signupLatency: instruments.histogram({
      name: "signup_latency_seconds",
      help: "Time of account.signUp with any outcome; signup_p95_latency is its 95th percentile.",
    }),
  };
}

export type GateMetrics = ReturnType<typeof createGateMetrics>;

/** What a relay process counts and measures. */
export function createRelayMetrics(instruments: Instruments) {
  return {
    lagSeconds: instruments.gauge({ name: "outbox_lag_seconds", help: "Age of the oldest pending event." }),
    backlog: instruments.gauge({ name: "outbox_backlog", help: "Events not yet in the filter." }),
    deadLetters: instruments.gauge({
      name: "outbox_dead_letters",
      help: "Events that became dead letters after data errors.",
    }),
    events: instruments.counters({
      name: "relay_events_total",
      help: "Events by outcome, each counted once when delivered.",
      label: "outcome",
      values: ["delivered", "failed", "dead"],
    }),
    replayed: instruments.counter({ name: "relay_replayed_total", help: "Events delivered once more." }),
  };
}

export type RelayMetrics = ReturnType<typeof createRelayMetrics>;
