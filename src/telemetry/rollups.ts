import { AppError } from "../domain/app-error";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * The same counts at several resolutions. `10m` and `1h` repeat `1m`, so that a chart of two weeks reads 336
 * buckets and not 20,160. `maxPending` is how many buckets a process keeps during a Redis outage: the
 * fine grains are dropped first.
 */
export type Rollup = { name: string; stepMs: number; keptMs: number; maxPending: number };

export const ROLLUPS: readonly Rollup[] = [
  { name: "1s", stepMs: SECOND, keptMs: 15 * MINUTE, maxPending: 120 },
  { name: "10s", stepMs: 10 * SECOND, keptMs: 6 * HOUR, maxPending: 180 },
  { name: "1m", stepMs: MINUTE, keptMs: 14 * DAY, maxPending: 360 },
  { name: "10m", stepMs: 10 * MINUTE, keptMs: 14 * DAY, maxPending: 144 },
  { name: "1h", stepMs: HOUR, keptMs: 14 * DAY, maxPending: 48 },
];

/** Buckets of one name that share a hash: as many as Redis keeps in its compact form (128 fields). */
export const BUCKETS_PER_KEY = 120;
/** A bucket of a histogram has some thirty fields. */
export const HISTOGRAM_BUCKETS_PER_KEY = 4;

const MAX_POINTS = 500;
/** What one chart may read per name: of a histogram that takes some 30 ms of the server's time. */
const MAX_BUCKETS = 1_000;
/** A request for "the last 15 minutes" arrives a moment later. */
const SLACK_MS = MINUTE;

/** `count` points, the n-th from `startMs + n * stepMs` on, each the sum of `stepMs / rollup.stepMs` buckets. */
export type Grid = { rollup: Rollup; startMs: number; stepMs: number; count: number };

/**
 * The finest rollup that still holds `fromMs` and is not too long to read, in at most 500 points.
 * `toMs` is cut at `nowMs`.
 * @throws AppError BAD_REQUEST for a range that is reversed, in the future, or longer than is kept
 */
export function pickGrid({ fromMs, toMs, nowMs }: { fromMs: number; toMs: number; nowMs: number }): Grid {
  const endMs = Math.min(toMs, nowMs);
  if (!(fromMs < toMs)) throw new AppError("BAD_REQUEST", "The time range ends before it begins.");
  if (!(fromMs < endMs)) throw new AppError("BAD_REQUEST", "The time range lies in the future.");
  if (endMs - fromMs > 14 * DAY + SLACK_MS) {
    throw new AppError("BAD_REQUEST", "The time range is too long: 14 days are kept.");
  }
  const rollup =
    ROLLUPS.find(
      ({ stepMs, keptMs }) => nowMs - fromMs <= keptMs + SLACK_MS && (endMs - fromMs) / stepMs <= MAX_BUCKETS,
    ) ?? ROLLUPS.at(-1)!;
  for (let times = Math.ceil((endMs - fromMs) / rollup.stepMs / MAX_POINTS); ; times += 1) {
    const stepMs = Math.max(1, times) * rollup.stepMs;
    const startMs = floorTo(fromMs, stepMs);
    const count = Math.ceil((endMs - startMs) / stepMs);
    if (count <= MAX_POINTS) return { rollup, startMs, stepMs, count };
  }
}

export function floorTo(ms: number, stepMs: number): number {
  return Math.floor(ms / stepMs) * stepMs;
}
