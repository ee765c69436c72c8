import { type CSSProperties, type KeyboardEvent, memo, useRef } from "react";
import type { MapCell } from "../contract";
import { isProven, type Scale, STATE_SIGNS } from "./map-layers";
import { stepOnMap } from "./step-on-map";

const HEX = [..."0123456789abcdef"];
const ROWS = HEX.map((_, row) => row);

type ShardMapProps = {
  label: string;
  /** All 256 in order; undefined while they are loading. */
  cells?: readonly MapCell[];
  scale: Scale;
  /** The cell that Tab reaches. */
  at: number;
  onAt: (shard: number) => void;
  onOpen: (shard: string) => void;
};

/** 16 x 16 shards. The grid is one tab stop; the arrow keys move between cells, Enter opens one. */
export function ShardMap({ label, cells, scale, at, onAt, onOpen }: ShardMapProps) {
  const grid = useRef<HTMLDivElement>(null);

  function onKeyDown(event: KeyboardEvent) {
    const next = stepOnMap(event.key, at, event.ctrlKey);
    if (next === null) return;
    event.preventDefault();
    onAt(next);
    grid.current?.querySelectorAll<HTMLElement>("button")[next]?.focus();
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a table's rows can't be laid out as a square of cells.
    <div
      ref={grid}
      role="grid"
      aria-label={label}
      aria-busy={!cells}
      className="shard-map"
      onKeyDown={onKeyDown}
    >
      <div className="shard-row" aria-hidden="true">
        <span />
        {HEX.map(digit => (
          <span key={digit} className="shard-axis">
            {digit}
          </span>
        ))}
      </div>
      {ROWS.map(row => (
        // biome-ignore lint/a11y/useSemanticElements: see above.
        // biome-ignore lint/a11y/useFocusableInteractive: its cells take the focus.
        <div key={row} role="row" className="shard-row">
          <span className="shard-axis" aria-hidden="true">
            {HEX[row]}
          </span>
          {HEX.map((_, column) => {
            const shard = row * 16 + column;
            const cell = cells?.[shard];
            return (
              <Cell
                key={HEX[column]}
                name={`${HEX[row]}${HEX[column]}`}
                level={cell ? scale.levelOf(cell) : undefined}
                state={cell?.state}
                words={cell ? `${scale.textOf(cell)}${isProven(cell) ? "" : `, ${cell.state}`}` : "loading"}
                isStop={shard === at}
                shard={shard}
                onAt={onAt}
                onOpen={onOpen}
              />
            );
          })}
        </div>
      ))}
    </div>
  );
}

type CellProps = {
  name: string;
  /** Null without data; undefined while it is loading. */
  level: number | null | undefined;
  state: MapCell["state"] | undefined;
  words: string;
  isStop: boolean;
  shard: number;
  onAt: (shard: number) => void;
  onOpen: (shard: string) => void;
};

/** Memoized: only changed cells are rendered again. */
const Cell = memo(function Cell({ name, level, state, words, isStop, shard, onAt, onOpen }: CellProps) {
  const isSealed = state === "sealed" || state === "full";
  const isKnown = isSealed && level !== null && level !== undefined;
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above.
    // biome-ignore lint/a11y/useFocusableInteractive: the button inside takes the focus.
    <div role="gridcell" className="shard-cell">
      <button
        type="button"
        tabIndex={isStop ? 0 : -1}
        aria-label={`Shard ${name}: ${words}`}
        data-state={state ?? "reading"}
        data-known={isKnown || undefined}
        style={isKnown ? ({ "--level": `${Math.round(level * 100)}%` } as CSSProperties) : undefined}
        onFocus={() => onAt(shard)}
        onPointerEnter={() => onAt(shard)}
        onClick={() => onOpen(name)}
      >
        {state && STATE_SIGNS[state]}
      </button>
    </div>
  );
});
