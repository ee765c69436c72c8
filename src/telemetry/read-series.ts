import { AppError } from "../domain/app-error";
import type { RedisClient } from "../store/redis";
import { heartbeatId } from "./flusher";
import { percentileMs } from "./latency-buckets";
import { type Points, readRollups, type Wanted } from "./read-rollups";
import { floorTo, type Grid, pickGrid } from "./rollups";
import { namesOf, SERIES, type SeriesId, type SeriesSpec } from "./series";

export type SeriesQuery<Id extends SeriesId = SeriesId> = {
  series: readonly Id[];
  fromMs: number;
  toMs: number;
  nowMs?: number;
};

/** `at[n]` is when point n begins, and its value is over the `stepMs` from there on. Null: not known. */
export type SeriesAnswer<Id extends SeriesId = SeriesId> = {
  stepMs: number;
  at: number[];
  values: Record<Id, (number | null)[]>;
};

/** Every process has flushed a second so long after its end. */
export const SETTLED_AFTER_MS = 600;
/** An early flush of some process counts into a second that is not settled: at most a twentieth too much. */
const LEAST_SECONDS = 20;

/**
 * Lines for one chart, at most 500 points each, in one round trip. The last point covers the part of its
 * time that is over, and is left out while that part is too short for a rate.
 * @throws AppError BAD_REQUEST for a range that cannot be read, BUSY while Redis does not answer
 */
export async function readSeries<Id extends SeriesId>(
  redis: RedisClient,
  { series, fromMs, toMs, nowMs = Date.now() }: SeriesQuery<Id>,
): Promise<SeriesAnswer<Id>> {
  const settledMs = floorTo(nowMs - SETTLED_AFTER_MS, 1_000);
  const grid = pickGrid({ fromMs, toMs, nowMs });
  // A step that has hardly begun has no reports yet: that is no gap.
  const leastSeconds = Math.min(LEAST_SECONDS, grid.stepMs / 1_000);
  while (grid.count > 0 && secondsOf(grid, grid.count - 1, settledMs) < leastSeconds) grid.count -= 1;

  const specs = series.map(id => SERIES[id] as SeriesSpec);
  const points = await readRollups(redis, wantedBy(specs), grid).catch(err => {
    throw new AppError("BUSY", "The charts' data cannot be read: Redis does not answer.", {
      retryAfterMs: 2_000,
      cause: err,
    });
  });
  const at = Array.from({ length: grid.count }, (_, n) => grid.startMs + n * grid.stepMs);
  const lines = specs.map(spec => {
    const up = points.get(heartbeatId(spec.from))!;
    return at.map((_, n) =>
      up.sums[n] === null ? null : valueAt(spec, points, { n, seconds: secondsOf(grid, n, settledMs) }),
    );
  });
  return {
    stepMs: grid.stepMs,
    at,
    values: Object.fromEntries(series.map((id, n) => [id, lines[n]])) as SeriesAnswer<Id>["values"],
  };
}

function valueAt(
  spec: SeriesSpec,
  points: Map<string, Points>,
  { n, seconds }: { n: number; seconds: number },
): number | null {
  const sum = (ids: string[]) => ids.reduce((total, id) => total + (points.get(id)!.sums[n] ?? 0), 0);
  switch (spec.is) {
    case "perSecond":
      return sum(spec.of) / seconds;
    case "ratio": {
      const over = sum(spec.over);
      return over === 0 ? null : sum(spec.of) / over;
    }
    case "percentile":
      return percentileMs(points.get(spec.of)!.histograms[n] ?? new Map(), spec.quantile);
    case "highest":
      return points.get(spec.of)!.sums[n] ?? null;
  }
}

/** Seconds of point `n` that are over and flushed. */
function secondsOf(grid: Grid, n: number, settledMs: number): number {
  const startMs = grid.startMs + n * grid.stepMs;
  return (Math.min(startMs + grid.stepMs, settledMs) - startMs) / 1_000;
}

const READ_AS = { perSecond: "sum", ratio: "sum", percentile: "histogram", highest: "highest" } as const;

function wantedBy(specs: readonly SeriesSpec[]): Wanted[] {
  const wanted = new Map<string, Wanted>();
  for (const spec of specs) {
    const alive = heartbeatId(spec.from);
    wanted.set(alive, { id: alive, as: "sum" });
    for (const id of namesOf(spec)) wanted.set(id, { id, as: READ_AS[spec.is] });
  }
  return [...wanted.values()];
}
