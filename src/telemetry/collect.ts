import { type Counter, type Family, idOf } from "./instruments";

/** One field's part of a flush. `bucket` is set for histograms; rollups that keep longer than `keptMs` leave it out. */
export type Amount = { id: string; bucket?: number; how: "sum" | "max"; value: number; keptMs?: number };

/** A closed shard, or a symbol without trades, is forgotten after so many collections: ten minutes. */
export const FREE_AFTER = 600;

type Seen = { total: number; quietFor: number };

/** Returns the counts between two calls. The counters themselves only ever grow. */
export class Collector {
  private readonly counters = new WeakMap<Counter, Seen>();
  private readonly buckets = new Map<string, number>();

  constructor(private readonly families: readonly Family[]) {}

  /** What was added since the last call, and the gauges that were measured just now. */
  collect(): Amount[] {
    const amounts: Amount[] = [];
    for (const family of this.families) {
      const { name, type, children } = family;
      if (type === "counter") this.addCounters(amounts, family);
      else if (type === "gauge") {
        for (const [child, gauge] of Object.entries(children)) {
          const value = gauge.read();
          if (value !== null) amounts.push({ id: idOf(name, child), how: "max", value });
        }
      } else {
        for (const [child, { counts }] of Object.entries(children))
          counts.forEach((value, bucket) => {
            if (value > 0) this.addGrowth(amounts, { id: idOf(name, child), bucket, how: "sum", value });
          });
      }
    }
    return amounts;
  }

  /** There may be tens of thousands: an unchanged counter costs one look-up. */
  private addCounters(amounts: Amount[], family: Family & { type: "counter" }): void {
    const { name, children, keptMs, free } = family;
    for (const child in children) {
      const counter = children[child]!;
      const seen = this.counters.get(counter) ?? { total: 0, quietFor: 0 };
      const value = counter.total - seen.total;
      if (value === 0) {
        seen.quietFor += 1;
        if (free && seen.quietFor >= FREE_AFTER) free(child);
        else if (seen.quietFor === 1) this.counters.set(counter, seen);
        continue;
      }
      this.counters.set(counter, { total: counter.total, quietFor: 0 });
      amounts.push({ id: idOf(name, child), how: "sum", value, ...(keptMs === undefined ? {} : { keptMs }) });
    }
  }

  private addGrowth(amounts: Amount[], total: Amount): void {
    const key = nameOf(total);
    const value = total.value - (this.buckets.get(key) ?? 0);
    if (value === 0) return;
    this.buckets.set(key, total.value);
    amounts.push({ ...total, value });
  }
}

export function nameOf({ id, bucket }: Amount): string {
  return bucket === undefined ? id : `${id}:${bucket}`;
}
