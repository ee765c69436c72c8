/** What a caller gets for orders that were accepted: they are buffered, and durable only later. */
export class Receipt {
  readonly durable: Promise<void>;
  private left: number;
  private resolve!: () => void;
  private reject!: (error: Error) => void;

  constructor(readonly accepted: number) {
    this.left = accepted;
    this.durable = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // Whoever does not wait must not end the process.
    this.durable.catch(() => {});
    if (accepted === 0) this.resolve();
  }

  /** Some of its orders are durable. */
  settle(orders: number): void {
    this.left -= orders;
    if (this.left === 0) this.resolve();
  }

  fail(error: Error): void {
    this.reject(error);
  }
}
