import type { Registry } from "prom-client";
import { Flusher, type FlusherOptions } from "./flusher";
import { Instruments } from "./instruments";
import { exposeToPrometheus } from "./prometheus";

export type Telemetry<Metrics> = {
  metrics: Metrics;
  /** The same counters for /metrics. */
  registry: Registry;
  start(): void;
  stop(): Promise<void>;
};

export type TelemetryOptions = Omit<FlusherOptions, "instruments"> & {
  off?: boolean;
  /** Told once of each name that has met its maximum of values. */
  onFull?: (problem: Error) => void;
};

/** What one process needs to count, to flush and to be scraped. `off` counts and flushes nothing. */
export function createTelemetry<Metrics>(
  create: (instruments: Instruments) => Metrics,
  { off = false, onFull, ...options }: TelemetryOptions,
): Telemetry<Metrics> {
  const instruments = new Instruments({ silent: off, onFull });
  const metrics = create(instruments);
  const flusher = new Flusher({ ...options, instruments });
  return {
    metrics,
    registry: exposeToPrometheus(instruments.families),
    start() {
      if (!off) flusher.start();
    },
    async stop() {
      if (!off) await flusher.stop();
    },
  };
}
