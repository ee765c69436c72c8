import { type Metric, type MetricValue, Registry } from "prom-client";
import type { Family, Histogram } from "./instruments";
import { LAST_BUCKET, upperMs } from "./latency-buckets";

/** Whole doublings are bounds of our own buckets, so these counts are exact. */
const DOUBLING = 16;

/** The instruments as prom-client metrics, read at the moment of the scrape. */
export function exposeToPrometheus(families: readonly Family[], registry = new Registry()): Registry {
  for (const family of families) {
    const { name, help, type } = family;
    const metric = {
      name,
      help,
      type,
      aggregator: "sum",
      get: async () => ({ name, help, type, aggregator: "sum", values: valuesOf(family) }),
      reset() {},
    };
    registry.registerMetric(metric as unknown as Metric<string>);
  }
  return registry;
}

type Value = MetricValue<string> & { metricName?: string };

function valuesOf(family: Family): Value[] {
  const labels = (child: string) => (family.label === undefined ? {} : { [family.label]: child });
  switch (family.type) {
    case "counter":
      return Object.entries(family.children).map(([child, { total }]) => ({
        labels: labels(child),
        value: total,
      }));
    case "gauge":
      return Object.entries(family.children).flatMap(([child, gauge]) => {
        const value = gauge.read();
        return value === null ? [] : [{ labels: labels(child), value }];
      });
    case "histogram":
      return Object.entries(family.children).flatMap(([child, histogram]) =>
        bucketsOf(family.name, histogram).map(value => ({
          ...value,
          labels: { ...labels(child), ...value.labels },
        })),
      );
  }
}

function bucketsOf(name: string, histogram: Histogram): Value[] {
  const values: Value[] = [];
  let seen = 0;
  histogram.counts.forEach((count, bucket) => {
    seen += count;
    if (bucket % DOUBLING !== 0 || bucket === LAST_BUCKET) return;
    values.push({ metricName: `${name}_bucket`, labels: { le: upperMs(bucket) / 1_000 }, value: seen });
  });
  values.push({ metricName: `${name}_bucket`, labels: { le: "+Inf" }, value: seen });
  values.push({ metricName: `${name}_sum`, labels: {}, value: histogram.sumMs / 1_000 });
  values.push({ metricName: `${name}_count`, labels: {}, value: seen });
  return values;
}
