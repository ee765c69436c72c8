/**
 * The log's clock, estimated from the times in its replies: producers on machines whose clocks differ by
 * half a second give the same stamps.
 */
export class SharedClock {
  private offsetUs: number | null = null;
  private bestRoundTripUs = Number.POSITIVE_INFINITY;

  /** @param localUs this machine's clock, microseconds since 1970 */
  constructor(private readonly localUs: () => number = machineUs) {}

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
    const nowUs = "nowUs" in answer ? Number(answer.nowUs) : null;
    if (nowUs !== null && (this.offsetUs === null || roundTripUs <= this.bestRoundTripUs)) {
      this.bestRoundTripUs = Math.max(roundTripUs, 50);
      this.offsetUs = nowUs - (sentUs + roundTripUs / 2);
    }
    return answer;
  }
}

function machineUs(): number {
  return (performance.timeOrigin + performance.now()) * 1_000;
}
