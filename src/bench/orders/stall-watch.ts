const TICK_MS = 20;
/** A producer is fenced after a second; half of that bends the figures already. */
const STALL_MS = 500;

/** Notices a machine that stands still, from a process that has nothing else to do. */
export class StallWatch {
  private longestMs = 0;
  private lastMs = performance.now();
  private readonly timer = setInterval(() => this.look(), TICK_MS);

  stop(): void {
    this.look();
    clearInterval(this.timer);
  }

  /** What to print of it; undefined: nothing was noticed. */
  get disturbance(): string | undefined {
    return this.longestMs < STALL_MS
      ? undefined
      : `the machine stood still for ${Math.round(this.longestMs)} ms`;
  }

  private look(): void {
    const nowMs = performance.now();
    this.longestMs = Math.max(this.longestMs, nowMs - this.lastMs - TICK_MS);
    this.lastMs = nowMs;
  }
}
