/** How many orders become durable, so that whoever is turned away learns when there may be room. */
export class DurableRate {
  private sinceUs = 0;
  private durable = 0;
  private perMs = 1;

  /** @param durable orders since the start, at `nowUs` */
  note(durable: number, nowUs: number): void {
    if (nowUs - this.sinceUs <= 1_000_000) return;
    this.perMs = Math.max(((durable - this.durable) / (nowUs - this.sinceUs)) * 1_000, 0.1);
    this.sinceUs = nowUs;
    this.durable = durable;
  }

  /** Milliseconds until so many orders have left the buffer: 20 to 5,000. */
  msFor(orders: number): number {
    return Math.min(5_000, Math.max(20, Math.ceil(orders / this.perMs)));
  }
}
