import { setTimeout as sleep } from "node:timers/promises";

export type ThrottleOptions = {
  /** Each resolves when its service has answered once. */
  probes: Record<string, () => Promise<unknown>>;
  /** A service slower than this is left alone for a while, milliseconds. */
  limitMs: number;
};

const PROBE_EVERY_MS = 500;
const PAUSE_MS = 200;
/** A rebuild that is held back for ever is no help either. */
const LONGEST_PAUSE_MS = 2_000;

/** Holds a rebuild back while the database or Redis is slow to answer others. */
export class Throttle {
  /** Why it holds back at the moment; null when it does not. */
  reason: string | null = null;
  private nextProbeAt = 0;

  constructor(private readonly options: ThrottleOptions) {}

  /** Resolves when the next piece of work may begin. Never rejects: failures are the work's own business. */
  async wait(): Promise<void> {
    if (performance.now() < this.nextProbeAt) return;
    for (let paused = 0; paused < LONGEST_PAUSE_MS; paused += PAUSE_MS) {
      this.reason = await this.probe();
      if (this.reason === null) break;
      await sleep(PAUSE_MS);
    }
    this.nextProbeAt = performance.now() + PROBE_EVERY_MS;
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
