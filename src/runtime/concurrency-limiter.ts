/** At most so many at once for each key. */
export class ConcurrencyLimiter {
  private readonly taken = new Map<string, number>();

  constructor(private readonly most: number) {}

  /** Returns what frees the seat, once, however often it is called; null when all are taken. */
  take(key: string): (() => void) | null {
    const count = this.taken.get(key) ?? 0;
    if (count >= this.most) return null;
    this.taken.set(key, count + 1);
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      const left = (this.taken.get(key) ?? 1) - 1;
      if (left > 0) this.taken.set(key, left);
      else this.taken.delete(key);
    };
  }
}
