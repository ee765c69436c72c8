/** The machine spoilt this measurement, not the product: it stood still, or too long nothing arrived. */
export class Disturbance extends Error {}

/** Bounds a wait: it ends with a reason when nothing has arrived for `quietMs`. */
export class QuietLimit {
  private sinceMs = performance.now();

  constructor(
    private readonly quietMs: number,
    private readonly progress: () => string,
  ) {}

  /** Something has arrived. */
  reset(): void {
    this.sinceMs = performance.now();
  }

  /** @throws Disturbance */
  check(): void {
    if (performance.now() - this.sinceMs <= this.quietMs) return;
    throw new Disturbance(`nothing arrived for ${Math.round(this.quietMs / 1_000)} s: ${this.progress()}`);
  }
}
