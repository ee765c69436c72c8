export const RANGES = {
  "5m": { title: "5 min", spanMs: 300_000, everyMs: 2_000 },
  "15m": { title: "15 min", spanMs: 900_000, everyMs: 4_000 },
  "1h": { title: "1 h", spanMs: 3_600_000, everyMs: 10_000 },
  "6h": { title: "6 h", spanMs: 21_600_000, everyMs: 30_000 },
  "24h": { title: "24 h", spanMs: 86_400_000, everyMs: 60_000 },
  "7d": { title: "7 d", spanMs: 604_800_000, everyMs: 60_000 },
  "14d": { title: "14 d", spanMs: 1_209_600_000, everyMs: 60_000 },
} as const;

export type Range = keyof typeof RANGES;
export const RANGE_NAMES = Object.keys(RANGES) as Range[];

/** Milliseconds. All charts of a page share one window, so that their cursors and edges agree. */
export type TimeWindow = { from: number; to: number };
