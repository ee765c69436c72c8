/** The receipt for accepted orders: they are buffered, and become durable later. */
export class Receipt {
  readonly durable: Promise<void>;
  private pending: number;
  private resolve!: () => void;
  private reject!: (error: Error) => void;

  constructor(readonly accepted: number) {
    this.pending = accepted;
    this.durable = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // A caller that does not wait must not end the process with an unhandled rejection.
    this.durable.catch(() => {});
    if (accepted === 0) this.resolve();
  }

  /** Some of its orders are durable. */
  settle(orders: number): void {
    this.pending -= orders;
    if (this.pending === 0) this.resolve();
  }

  fail(error: Error): void {
    this.reject(error);
  }
}
