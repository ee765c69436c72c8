/** The name of a line: a series or a shard. */
export type LineId = string;
/** Lines on one grid of times. */
export type LineData = {
  stepMs: number;
  at: number[];
  values: Partial<Record<LineId, (number | null)[]>>;
};

export type Line = {
  id: LineId;
  label: string;
  colour: string;
  /** Divided by this series, point by point; no data where that one is 0. */
  per?: LineId;
};

export type Point = { at: number } & { [id: LineId]: number | null };
export type Gap = { from: number; to: number };

const at = (data: LineData, id: LineId, i: number) => data.values[id]?.[i] ?? null;

/** Rows as a chart draws them; null stays null. */
export function toPoints(data: LineData, lines: readonly Line[]): Point[] {
  return data.at.map((time, i) => {
    const point: Point = { at: time };
    for (const { id, per } of lines) {
      const value = at(data, id, i);
      const whole = per ? at(data, per, i) : 1;
      point[id] = value === null || !whole ? null : value / whole;
    }
    return point;
  });
}

/** The rollups do not have the last seconds yet: this is no gap. */
const ARRIVING_MS = 6_000;

/** Spans in which no line has a value, half a step wider on either side, within the window. */
export function findGaps(
  points: readonly Point[],
  lines: readonly Line[],
  window: Gap & { stepMs: number },
): Gap[] {
  const { from, to, stepMs } = window;
  const known = points.filter(point => lines.some(({ id }) => point[id] != null)).map(point => point.at);
  const edges = [from - stepMs, ...known, to + stepMs];
  const gaps: Gap[] = [];
  for (let i = 1; i < edges.length; i++) {
    const [left, right] = [edges[i - 1]!, edges[i]!];
    const isArriving =
      i === edges.length - 1 && right - left <= Math.max(ARRIVING_MS, stepMs * 2) + stepMs * 2;
    if (right - left <= stepMs * 1.5 || isArriving) continue;
    gaps.push({ from: Math.max(from, left + stepMs / 2), to: Math.min(to, right - stepMs / 2) });
  }
  return gaps.filter(gap => gap.to - gap.from >= stepMs);
}

/** A point of a longer step covers minutes, so it does not show the current state. */
export const MAX_STATE_STEP_MS = 10_000;

/** Whether the time of a point is new enough for its value to be called the current one. */
export const isCurrent = (at: number, { to, stepMs }: { to: number; stepMs: number }): boolean =>
  at >= to - Math.max(15_000, stepMs * 3);

/** The newest value; null when it is too old. */
export function currentValue(points: readonly Point[], id: LineId, window: { to: number; stepMs: number }) {
  const last = points.findLast(point => point[id] != null);
  return last && isCurrent(last.at, window) ? last[id]! : null;
}

export type Trend = { direction: "rising" | "falling" | "steady"; before: number };

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Compares the last fifth of the window with the rest; a change within a tenth is steady. */
export function trendOf(points: readonly Point[], id: LineId): Trend | null {
  const cut = Math.floor(points.length * 0.8);
  const valuesOf = (part: readonly Point[]) => part.flatMap(point => point[id] ?? []);
  const before = valuesOf(points.slice(0, cut));
  const after = valuesOf(points.slice(cut));
  if (before.length < 3 || after.length < 1) return null;
  const [was, is] = [mean(before), mean(after)];
  const change = (is - was) / Math.max(Math.abs(was), Math.abs(is), Number.MIN_VALUE);
  return { direction: change > 0.1 ? "rising" : change < -0.1 ? "falling" : "steady", before: was };
}
