import { type Amount, nameOf } from "./collect";
import { floorTo, ROLLUPS, type Rollup } from "./rollups";

/** Amounts on their way to one bucket of one rollup. */
export type PendingBucket = { rollup: Rollup; startMs: number; amounts: Map<string, Amount> };

/**
 * What has not been flushed yet, merged per bucket. Its size is bounded during a Redis
 * outage of any length: past `maxPending` buckets of a rollup the oldest one is dropped.
 */
export class Pending {
  private readonly buckets = new Map<Rollup, Map<number, PendingBucket>>();

  constructor(private readonly onDropped: (rollup: Rollup) => void) {
    for (const rollup of ROLLUPS) this.buckets.set(rollup, new Map());
  }

  /** Adds what happened at `atMs` to every rollup that keeps it. */
  add(atMs: number, amounts: readonly Amount[]): void {
    for (const [rollup, buckets] of this.buckets) {
      const startMs = floorTo(atMs, rollup.stepMs);
      const bucket = buckets.get(startMs) ?? { rollup, startMs, amounts: new Map() };
      buckets.set(startMs, bucket);
      for (const amount of amounts)
        if (amount.keptMs === undefined || rollup.keptMs <= amount.keptMs) merge(bucket.amounts, amount);
      if (buckets.size <= rollup.maxPending) continue;
      buckets.delete(Math.min(...buckets.keys()));
      this.onDropped(rollup);
    }
  }

  /** Takes out whole buckets of about `maxAmounts` amounts; none when nothing waits. */
  take(maxAmounts: number): PendingBucket[] {
    const taken: PendingBucket[] = [];
    let amounts = 0;
    for (const buckets of this.buckets.values()) {
      for (const [startMs, bucket] of buckets) {
        if (amounts >= maxAmounts) return taken;
        buckets.delete(startMs);
        taken.push(bucket);
        amounts += bucket.amounts.size;
      }
    }
    return taken;
  }

  /** The number of pending buckets. */
  get size(): number {
    let size = 0;
    for (const buckets of this.buckets.values()) size += buckets.size;
    return size;
  }
}

function merge(amounts: Map<string, Amount>, amount: Amount): void {
  const name = nameOf(amount);
  const known = amounts.get(name);
  if (!known) amounts.set(name, { ...amount });
  else known.value = amount.how === "sum" ? known.value + amount.value : Math.max(known.value, amount.value);
}
