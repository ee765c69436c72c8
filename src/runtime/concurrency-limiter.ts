/** Limits how many holders each key may have at once. */
export class ConcurrencyLimiter {
  private readonly taken = new Map<string, number>();

  constructor(private readonly limit: number) {}

  /** Returns the function that releases the slot, which may be called repeatedly; null at the limit. */
  take(key: string): (() => void) | null {
    const count = this.taken.get(key) ?? 0;
    if (count >= this.limit) return null;
    this.taken.set(key, count + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const left = (this.taken.get(key) ?? 1) - 1;
      if (left > 0) this.taken.set(key, left);
      else this.taken.delete(key);
    };
  }
}
