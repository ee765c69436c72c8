import { OUTBOX_BEHIND_SECONDS } from "../../../domain/filter/outbox-limit";
import type { ChartSpec } from "../charts/chart-spec";

const blue = "var(--series-1)";
const amber = "var(--series-2)";
const violet = "var(--series-3)";
const red = "var(--series-4)";
const grey = "var(--series-6)";

/**
 * The dashboard, in reading order: the filter, the cost of its answers, sign-ups, and the relay.
 * @param errorRate the false-positive rate that the active version was built for; null: not known
 */
export const gateCharts = (errorRate: number | null): readonly ChartSpec[] => [
  ...filterCharts(errorRate),
  SIGNUP_LATENCY,
  ...OUTBOX_CHARTS,
];

const filterCharts = (errorRate: number | null): ChartSpec[] => [
  {
    title: "Checks",
    metric: "username_checks_total",
    about: "Availability checks answered per second, over all server processes.",
    unit: "perSecond",
    lines: [{ id: "checks_per_s", label: "checks", colour: blue }],
    headline: "checks_per_s",
    leastTop: 1,
  },
  {
    title: "Filter positive rate",
    metric: "bloom_exists_true_rate",
    about: "The ratio of filter answers that are 1 (maybe). High when users try taken names.",
    unit: "ratio",
    lines: [{ id: "bloom_exists_true_rate", label: "maybe", colour: blue }],
    headline: "bloom_exists_true_rate",
    leastTop: 0.02,
  },
  {
    title: "Database fallback rate",
    metric: "db_fallback_rate",
    about:
      "The ratio of checks that the database answers, by reason. Only “maybe” is normal. With “relay behind” names may be missing in the filter; with the others it could not answer.",
    unit: "ratio",
    stacked: true,
    lines: [
      { id: "fallback_maybe_per_s", label: "maybe", colour: blue, per: "checks_per_s" },
      { id: "fallback_relay_behind_per_s", label: "relay behind", colour: grey, per: "checks_per_s" },
      { id: "fallback_filter_unavailable_per_s", label: "no filter", colour: red, per: "checks_per_s" },
      { id: "fallback_timeout_per_s", label: "timeout", colour: amber, per: "checks_per_s" },
      { id: "fallback_breaker_open_per_s", label: "breaker open", colour: violet, per: "checks_per_s" },
    ],
    headline: "db_fallback_rate",
    leastTop: 0.02,
  },
  {
    title: "False-positive rate (est.)",
    metric: "false_positive_rate_est",
    about: "FP / (FP + TN): the ratio of free names that the filter answered with maybe.",
    unit: "ratio",
    lines: [{ id: "false_positive_rate_est", label: "false positives", colour: blue }],
    headline: "false_positive_rate_est",
    limit: errorRate === null ? undefined : { value: errorRate, label: "built for", state: "warning" },
    leastTop: (errorRate ?? 0.01) * 1.25,
  },
  {
    title: "False negatives",
    metric: "bloom_false_negative_total",
    about:
      "Names taken although the filter answered 0, per second. Any value above 0 means a broken filter; names that the relay has not delivered yet do not count.",
    unit: "perSecond",
    lines: [{ id: "bloom_false_negatives_per_s", label: "false negatives", colour: red }],
    headline: "bloom_false_negatives_per_s",
    limit: { value: 0, label: "must stay", state: "critical" },
    leastTop: 1,
  },
];

const SIGNUP_LATENCY: ChartSpec = {
  title: "Sign-up latency",
  metric: "signup_p95_latency",
  about: "95 of 100 sign-ups were answered within the current value.",
  unit: "ms",
  endLabels: true,
  lines: [
    { id: "signup_p50_ms", label: "p50", colour: grey },
    { id: "signup_p95_ms", label: "p95", colour: blue },
    { id: "signup_p99_ms", label: "p99", colour: violet },
  ],
  headline: "signup_p95_ms",
  leastTop: 100,
};

const OUTBOX_CHARTS: readonly ChartSpec[] = [
  {
    title: "Outbox lag",
    metric: "outbox_lag_seconds",
    about: "The age of the oldest row that no relay has delivered.",
    unit: "seconds",
    lines: [{ id: "outbox_lag_seconds", label: "lag", colour: blue }],
    headline: "outbox_lag_seconds",
    limit: { value: OUTBOX_BEHIND_SECONDS, label: "limit" },
    leastTop: 1,
  },
  {
    title: "Outbox backlog",
    metric: "outbox_backlog",
    about: "Rows that no relay has delivered.",
    unit: "count",
    lines: [{ id: "outbox_backlog", label: "rows", colour: blue }],
    headline: "outbox_backlog",
    leastTop: 10,
  },
  {
    title: "Relay throughput",
    metric: "relay_events_total",
    about: "Outbox rows delivered into every live filter version, per second, by all relays together.",
    unit: "perSecond",
    lines: [{ id: "relay_delivered_per_s", label: "delivered", colour: blue }],
    headline: "relay_delivered_per_s",
    leastTop: 1,
  },
];
