import { type Family, idOf } from "./instruments";

/** One field's part of a flush. `bucket` is set for histograms. */
export type Amount = { id: string; bucket?: number; how: "sum" | "max"; value: number };

/** Resolves what was counted between two calls. The counters themselves only ever grow. */
export class Collector {
  private readonly seen = new Map<string, number>();

  constructor(private readonly families: readonly Family[]) {}

  /** What has been added since the last call, and the gauges that somebody measured just now. */
  collect(): Amount[] {
    const amounts: Amount[] = [];
    for (const { name, type, children } of this.families) {
      if (type === "counter") {
        for (const [child, { total }] of Object.entries(children))
          this.addGrowth(amounts, { id: idOf(name, child), how: "sum", value: total });
      } else if (type === "gauge") {
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

  private addGrowth(amounts: Amount[], total: Amount): void {
    const key = nameOf(total);
    const value = total.value - (this.seen.get(key) ?? 0);
    if (value === 0) return;
    this.seen.set(key, total.value);
    amounts.push({ ...total, value });
  }
}

export function nameOf({ id, bucket }: Amount): string {
  return bucket === undefined ? id : `${id}:${bucket}`;
}
