import type { RedisClient } from "../store/redis";
import { rollupKey } from "../store/redis-keys";
import { BUCKETS_PER_KEY, type Grid, HISTOGRAM_BUCKETS_PER_KEY } from "./rollups";

/** How the buckets of one name become one point of a chart. */
export type Wanted = { id: string; as: "sum" | "highest" | "histogram" };

/** Per point; null where no bucket holds the name. */
export type Points = { sums: (number | null)[]; histograms: (Map<number, number> | null)[] };

/** Reads all of these names on one grid in one round trip. */
export async function readRollups(
  redis: RedisClient,
  wanted: readonly Wanted[],
  grid: Grid,
): Promise<Map<string, Points>> {
  const { rollup, startMs, stepMs, count } = grid;
  const first = Math.round(startMs / rollup.stepMs);
  const perPoint = Math.round(stepMs / rollup.stepMs);
  const last = first + count * perPoint - 1;

  const reads: { wanted: Wanted; base: number }[] = [];
  const pipeline = redis.pipeline();
  for (const one of wanted) {
    const perKey = one.as === "histogram" ? HISTOGRAM_BUCKETS_PER_KEY : BUCKETS_PER_KEY;
    for (let window = Math.floor(first / perKey); window <= Math.floor(last / perKey); window += 1) {
      reads.push({ wanted: one, base: window * perKey });
      pipeline.hgetall(rollupKey(rollup.name, one.id, window));
    }
  }
  const replies = (await pipeline.exec()) ?? [];
  const points = new Map(wanted.map(({ id }) => [id, emptyPoints(count)]));
  reads.forEach(({ wanted: { id, as }, base }, n) => {
    const [error, fields] = replies[n] ?? [new Error("Redis gave no reply")];
    if (error) throw error;
    for (const [field, text] of Object.entries(fields as Record<string, string>)) {
      // A field is "offset", or "offset:bucket" in a histogram.
      const index = base + Number.parseInt(field, 10);
      if (index < first || index > last) continue;
      const point = Math.floor((index - first) / perPoint);
      const value = Number(text);
      const { sums, histograms } = points.get(id)!;
      if (as === "histogram") {
        histograms[point] ??= new Map();
        const bucket = Number(field.slice(field.indexOf(":") + 1));
        histograms[point].set(bucket, (histograms[point].get(bucket) ?? 0) + value);
      } else {
        const known = sums[point];
        sums[point] = known == null ? value : as === "sum" ? known + value : Math.max(known, value);
      }
    }
  });
  return points;
}

function emptyPoints(count: number): Points {
  return { sums: new Array(count).fill(null), histograms: new Array(count).fill(null) };
}
