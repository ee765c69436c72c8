import type { ShardSeries } from "../contract";
import { highest, utilizationsOf } from "./shard-lines";

/** One shard over one span of time: the highest value of each figure. */
export type HeatCell = {
  utilization: number | null;
  records: number | null;
  bytes: number | null;
  throttled: number | null;
};
export type HeatRow = { shardId: string; cells: HeatCell[] };
/** `at[n]` is when cell n begins; it is `stepMs` long. */
export type HeatMap = { stepMs: number; at: number[]; rows: HeatRow[] };

/** More cells would be too narrow to see or click. */
const MAX_CELLS = 60;

/** Shard by time. A cell has the highest value of its span; unknown stays unknown. */
export function toHeatMap(series: ShardSeries, maxCells = MAX_CELLS): HeatMap {
  const { at, stepMs, shards } = series;
  const per = Math.max(1, Math.ceil(at.length / maxCells));
  // Cells keep their edges as the window moves: otherwise each refresh would change all of them.
  const first = at.length === 0 ? 0 : (per - (Math.round(at[0]! / stepMs) % per)) % per;
  const starts: number[] = [];
  for (let from = first; from < at.length; from += per) starts.push(from);
  const utilizations = utilizationsOf(series);
  return {
    stepMs: stepMs * per,
    at: starts.map(from => at[from]!),
    rows: shards.map(({ shardId, records, bytes, throttled }, i) => ({
      shardId,
      cells: starts.map(from => ({
        utilization: highest(utilizations[i]!.utilizations.slice(from, from + per)),
        records: highest(records.slice(from, from + per)),
        bytes: highest(bytes.slice(from, from + per)),
        throttled: highest(throttled.slice(from, from + per)),
      })),
    })),
  };
}

export type CellPlace = { row: number; cell: number };

/** The cell that a key moves the cursor to; null for other keys. The cursor stops at the edges. */
export function stepOnHeatMap(
  key: string,
  { row, cell }: CellPlace,
  { rows, cells }: { rows: number; cells: number },
): CellPlace | null {
  const within = (value: number, count: number) => Math.max(0, Math.min(count - 1, value));
  switch (key) {
    case "ArrowLeft":
      return { row, cell: within(cell - 1, cells) };
    case "ArrowRight":
      return { row, cell: within(cell + 1, cells) };
    case "ArrowUp":
      return { row: within(row - 1, rows), cell };
    case "ArrowDown":
      return { row: within(row + 1, rows), cell };
    case "Home":
      return { row, cell: 0 };
    case "End":
      return { row, cell: within(cells, cells) };
    default:
      return null;
  }
}
