import { Gauge, type Registry } from "prom-client";
import type { GateMetrics } from "./gate-metrics";
import { percentileMs } from "./latency-buckets";

const OVER_MS = 60_000;
const SPACING_MS = 1_000;

/**
 * The article's rates of this process over the last minute, for readers of /metrics. A
 * Prometheus server should divide the counters instead: only counters add up over processes.
 */
export function exposeGateRates(metrics: GateMetrics, registry: Registry, now = performance.now): void {
  const totals = () => ({
    maybe: metrics.lookups.maybe.total,
    absent: metrics.lookups.absent.total,
    unavailable: metrics.lookups.unavailable.total,
    fallbacks: Object.values(metrics.fallbacks).reduce((sum, { total }) => sum + total, 0),
    falsePositives: metrics.falsePositives.total,
    signups: metrics.signupLatency.counts.slice(),
    atMs: now.call(performance),
  });
  type Totals = ReturnType<typeof totals>;
  /** The counters at earlier scrapes; the first is a minute old, if any is that old. */
  const past: Totals[] = [totals()];

  const since = (): { before: Totals; current: Totals } => {
    const current = totals();
    while (past.length > 1 && current.atMs - past[1]!.atMs >= OVER_MS) past.shift();
    if (current.atMs - past.at(-1)!.atMs >= SPACING_MS) past.push(current);
    return { before: past[0]!, current };
  };
  const expose = (name: string, help: string, read: (before: Totals, current: Totals) => number | null) =>
    new Gauge({
      name,
      help: `${help} This process, over the last minute.`,
      registers: [registry],
      collect() {
        const { before, current } = since();
        this.set(read(before, current) ?? Number.NaN);
      },
    });

  expose("bloom_exists_true_rate", "maybe / (maybe + absent).", (a, b) =>
    ratio(b.maybe - a.maybe, b.maybe - a.maybe + b.absent - a.absent),
  );
  expose("db_fallback_rate", "Questions to the database / look-ups.", (a, b) =>
    ratio(b.fallbacks - a.fallbacks, b.maybe - a.maybe + b.absent - a.absent + b.unavailable - a.unavailable),
  );
  expose("false_positive_rate_est", "False positives / (false positives + absent).", (a, b) =>
    ratio(b.falsePositives - a.falsePositives, b.falsePositives - a.falsePositives + b.absent - a.absent),
  );
  expose("signup_p95_latency", "Seconds that 95 % of the signups took at most.", (a, b) => {
    const counts = new Map<number, number>();
    b.signups.forEach((count, bucket) => {
      if (count > a.signups[bucket]!) counts.set(bucket, count - a.signups[bucket]!);
    });
    const ms = percentileMs(counts, 0.95);
    return ms === null ? null : ms / 1_000;
  });
}

/** NaN, Prometheus' "unknown", where there is nothing to divide by. */
function ratio(of: number, over: number): number | null {
  return over === 0 ? null : of / over;
}
