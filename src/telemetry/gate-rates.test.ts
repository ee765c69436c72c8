import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { createGateMetrics } from "./gate-metrics";
import { exposeGateRates } from "./gate-rates";
import { Instruments } from "./instruments";

it("rates on /metrics are over the last minute, and unknown when nothing happened", async () => {
  const clock = { ms: 0 };
  const metrics = createGateMetrics(new Instruments());
  const registry = new Registry();
  exposeGateRates(metrics, registry, () => clock.ms);
  const read = async (name: string) => (await registry.getSingleMetric(name)!.get()).values[0]!.value;

  expect(await read("bloom_exists_true_rate")).toBeNaN();
  metrics.lookups.maybe.inc(1);
  metrics.lookups.absent.inc(3);
  metrics.fallbacks.maybe.inc(1);
  metrics.signupLatency.observeMs(100);
  clock.ms = 10_000;
  expect(await read("bloom_exists_true_rate")).toBe(0.25);
  expect(await read("db_fallback_rate")).toBe(0.25);
  expect(await read("false_positive_rate_est")).toBe(0);
  expect(Math.abs((await read("signup_p95_latency")) - 0.1) / 0.1).toBeLessThan(0.022);

  metrics.lookups.maybe.inc(4);
  clock.ms = 70_000;
  expect(await read("bloom_exists_true_rate")).toBe(1);
  clock.ms = 200_000;
  await read("bloom_exists_true_rate");
  clock.ms = 300_000;
  expect(await read("bloom_exists_true_rate")).toBeNaN();
});
