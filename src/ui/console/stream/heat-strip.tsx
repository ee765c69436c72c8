import { memo } from "react";
import type { HeatCell } from "./heat-cells";

type HeatStripProps = {
  label: string;
  cells: readonly HeatCell[];
  /** The cell of the cursor; null when it is in another row. */
  cursor: number | null;
  isStop: boolean;
  row: number;
  onPoint: (row: number, cell: number) => void;
  onOpen: (row: number, cell: number) => void;
};

/**
 * One shard over time as a strip of colour: a sequential scale, red for throttled, hatched for unknown.
 * The cells are parts of one gradient: an element for each cell would be thousands.
 */
export const HeatStrip = memo(function HeatStrip(props: HeatStripProps) {
  const { label, cells, cursor, isStop, row, onPoint, onOpen } = props;
  const cellAt = (event: React.MouseEvent) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const cell = Math.floor(((event.clientX - left) / width) * cells.length);
    return Math.max(0, Math.min(cells.length - 1, cell));
  };
  return (
    <button
      type="button"
      className="heat-strip"
      aria-label={label}
      tabIndex={isStop ? 0 : -1}
      style={{ background: backgroundOf(cells) }}
      onFocus={() => onPoint(row, cursor ?? cells.length - 1)}
      onPointerMove={event => onPoint(row, cellAt(event))}
      // A click by keyboard has no position: the cursor's cell is opened.
      onClick={event => onOpen(row, event.detail === 0 ? (cursor ?? cells.length - 1) : cellAt(event))}
    >
      {cursor !== null && (
        <span
          className="heat-cursor"
          aria-hidden="true"
          style={{ left: `${(cursor / cells.length) * 100}%`, width: `${100 / cells.length}%` }}
        />
      )}
    </button>
  );
});

/** Neighbours of one colour become one stop: each stop takes time to draw. */
function backgroundOf(cells: readonly HeatCell[]): string {
  if (cells.length === 0) return "var(--hatch)";
  const stops: string[] = [];
  const place = (n: number) => `${((n / cells.length) * 100).toFixed(2)}%`;
  for (let from = 0, n = 1; n <= cells.length; n += 1) {
    const colour = colourOf(cells[from]!);
    if (n < cells.length && colourOf(cells[n]!) === colour) continue;
    stops.push(`${colour} ${place(from)} ${place(n)}`);
    from = n;
  }
  return `linear-gradient(90deg, ${stops.join(", ")}), var(--hatch)`;
}

const SHADES = 23;

function colourOf({ utilization, throttled }: HeatCell): string {
  if (utilization === null) return "transparent";
  if ((throttled ?? 0) > 0) return "var(--critical)";
  const strength = Math.round(Math.min(1, utilization) * SHADES) * 4;
  return `color-mix(in oklch, var(--series-1) ${strength}%, var(--raised))`;
}
