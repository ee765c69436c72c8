import { setTimeout as sleep } from "node:timers/promises";

export type ThrottleOptions = {
  /** Each resolves when its service has answered once. */
  probes: Record<string, () => Promise<unknown>>;
  /** A service whose answer takes longer than this pauses the rebuild, milliseconds. */
  limitMs: number;
};

const PROBE_INTERVAL_MS = 500;
const PAUSE_MS = 200;
/** A rebuild must make progress, even on slow services. */
const MAX_PAUSE_MS = 2_000;

/** Pauses a rebuild while the database or Redis answers slowly. */
export class Throttle {
  /** Why the rebuild is paused; null while it is not. */
  reason: string | null = null;
  private nextProbeAt = 0;

  constructor(private readonly options: ThrottleOptions) {}

  /** Resolves when the next step may begin. Never rejects: the step itself reports failures. */
  async wait(): Promise<void> {
    if (performance.now() < this.nextProbeAt) return;
    for (let paused = 0; paused < MAX_PAUSE_MS; paused += PAUSE_MS) {
      this.reason = await this.probe();
      if (this.reason === null) break;
      await sleep(PAUSE_MS);
    }
    this.nextProbeAt = performance.now() + PROBE_INTERVAL_MS;
  }

  private async probe(): Promise<string | null> {
    for (const [name, probe] of Object.entries(this.options.probes)) {
      const startedAt = performance.now();
      await probe().catch(() => {});
      const ms = Math.round(performance.now() - startedAt);
      if (ms > this.options.limitMs) return `${name} took ${ms} ms to answer`;
    }
    return null;
  }
}
