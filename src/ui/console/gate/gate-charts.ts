import { OUTBOX_BEHIND_SECONDS } from "../../../domain/filter/outbox-limit";
import type { ChartSpec } from "../charts/chart-spec";

const [blue, amber, violet, red] = [1, 2, 3, 4].map(n => `var(--series-${n})`) as [
  string,
  string,
  string,
  string,
];

/**
 * The dashboard, in reading order: what the filter says, what that costs, and whether the relay keeps up.
 * @param errorRate which false-positive rate the active version was built for; no line while unknown
 */
export const gateCharts = (errorRate: number | null): readonly ChartSpec[] => [
  {
    title: "Checks",
    about: "Availability checks answered per second, over all server processes.",
    unit: "perSecond",
    lines: [{ id: "checks_per_s", label: "checks", colour: blue }],
    headline: "checks_per_s",
    leastTop: 1,
  },
  {
    title: "Filter says maybe",
    about:
      "bloom_exists_true_rate: the ratio of filter answers that are 1. High when people try taken names.",
    unit: "ratio",
    lines: [{ id: "bloom_exists_true_rate", label: "maybe", colour: blue }],
    headline: "bloom_exists_true_rate",
    leastTop: 0.02,
  },
  {
    title: "Checks that reach the database",
    about:
      "db_fallback_rate, by reason. Only “maybe” is normal; the other three mean that the filter could not answer.",
    unit: "ratio",
    stacked: true,
    lines: [
      { id: "fallback_maybe_per_s", label: "maybe", colour: blue, per: "checks_per_s" },
      { id: "fallback_filter_unavailable_per_s", label: "no filter", colour: red, per: "checks_per_s" },
      { id: "fallback_timeout_per_s", label: "timeout", colour: amber, per: "checks_per_s" },
      { id: "fallback_breaker_open_per_s", label: "breaker open", colour: violet, per: "checks_per_s" },
    ],
    headline: "db_fallback_rate",
    leastTop: 0.02,
  },
  {
    title: "False positives, estimated",
    about: "false_positive_rate_est = FP / (FP + TN): free names that the filter called maybe.",
    unit: "ratio",
    lines: [{ id: "false_positive_rate_est", label: "false positives", colour: blue }],
    headline: "false_positive_rate_est",
    limit: errorRate === null ? undefined : { value: errorRate, label: "built for" },
    leastTop: (errorRate ?? 0.01) * 1.25,
  },
  {
    title: "False negatives",
    about:
      "bloom_false_negative_total per second: names taken although the filter said 0. Anything above zero means a broken filter; names that the relay has still to bring do not count.",
    unit: "perSecond",
    lines: [{ id: "bloom_false_negatives_per_s", label: "false negatives", colour: red }],
    headline: "bloom_false_negatives_per_s",
    limit: { value: 0, label: "must stay" },
    leastTop: 1,
  },
  {
    title: "Sign-up takes, p95",
    about: "signup_p95_latency: 95 of 100 sign-ups were answered within this time.",
    unit: "ms",
    endLabels: true,
    lines: [
      { id: "signup_p50_ms", label: "p50", colour: "var(--series-6)" },
      { id: "signup_p95_ms", label: "p95", colour: blue },
      { id: "signup_p99_ms", label: "p99", colour: violet },
    ],
    headline: "signup_p95_ms",
    leastTop: 100,
  },
  {
    title: "Outbox lag",
    about: "outbox_lag_seconds: the age of the oldest row that no relay has delivered.",
    unit: "seconds",
    lines: [{ id: "outbox_lag_seconds", label: "lag", colour: blue }],
    headline: "outbox_lag_seconds",
    limit: { value: OUTBOX_BEHIND_SECONDS, label: "behind from" },
    leastTop: 1,
  },
  {
    title: "Outbox backlog",
    about: "Rows that are waiting for a relay.",
    unit: "count",
    lines: [{ id: "outbox_backlog", label: "rows", colour: blue }],
    headline: "outbox_backlog",
    leastTop: 10,
  },
  {
    title: "Relay delivers",
    about: "Outbox rows delivered into every live filter version, per second, by all relays together.",
    unit: "perSecond",
    lines: [{ id: "relay_delivered_per_s", label: "delivered", colour: blue }],
    headline: "relay_delivered_per_s",
    leastTop: 1,
  },
];
