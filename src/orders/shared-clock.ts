/**
 * The log's clock, estimated from the times in its replies: producers on machines whose clocks differ by
 * half a second give the same stamps.
 */
export class SharedClock {
  private offsetUs: number | null = null;
  private bestRoundTripUs = Number.POSITIVE_INFINITY;

  /**
   * @param localUs microseconds since 1970 at the start of this process, and from then on by a clock without steps
   * @param onStep the log's clock has stepped by so much
   */
  constructor(
    private readonly localUs: () => number = machineUs,
    private readonly onStep: (stepMs: number) => void = () => {},
  ) {}

  /** Microseconds since 1970. */
  nowUs(): number {
    return Math.floor(this.localUs() + (this.offsetUs ?? 0));
  }

  /** This machine's clock, to measure durations: microseconds. */
  localNowUs(): number {
    return this.localUs();
  }

  /** Runs a request whose answer carries the server's time. A faster answer replaces the estimate. */
  async observe<T extends object>(request: () => Promise<T>): Promise<T> {
    const sentUs = this.localUs();
    const answer = await request();
    const roundTripUs = this.localUs() - sentUs;
    // A slow answer is inexact; but the best one grows old, and clocks drift.
    this.bestRoundTripUs *= 1.01;
    if ("nowUs" in answer) this.note(Number(answer.nowUs) - (sentUs + roundTripUs / 2), roundTripUs);
    return answer;
  }

  private note(offsetUs: number, roundTripUs: number): void {
    const stepUs = this.offsetUs === null ? 0 : offsetUs - this.offsetUs;
    const isStep = Math.abs(stepUs) > LEAST_STEP_US + roundTripUs / 2;
    if (this.offsetUs !== null && !isStep && roundTripUs > this.bestRoundTripUs) return;
    this.bestRoundTripUs = Math.max(roundTripUs, 50);
    this.offsetUs = offsetUs;
    if (isStep) this.onStep(Math.round(stepUs / 1_000));
  }
}

/** Clocks drift apart by less between two answers. */
const LEAST_STEP_US = 250_000;

function machineUs(): number {
  return (performance.timeOrigin + performance.now()) * 1_000;
}
