import type { MapCell } from "../contract";
import { isProven, type Layer, type Scale, STATE_SIGNS } from "./map-layers";

const BINS = 32;

/** The colour scale, with a histogram of the shards. */
export function ScaleLegend({
  layer,
  scale,
  cells,
}: {
  layer: Layer;
  scale: Scale;
  cells: readonly MapCell[];
}) {
  if (layer === "state") return <StateLegend cells={cells} />;
  const levels = cells.flatMap(cell => {
    const level = isProven(cell) ? scale.levelOf(cell) : null;
    return level === null ? [] : [level];
  });
  const bins = Array.from({ length: BINS }, () => 0);
  for (const level of levels) {
    const bin = Math.min(BINS - 1, Math.floor(level * BINS));
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  const most = Math.max(1, ...bins);
  const unknown = cells.length - levels.length;
  return (
    <div>
      <div className="scale-bins" aria-hidden="true">
        {bins.map((count, bin) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a bin is its place.
          <span key={bin} style={{ height: `${(count / most) * 100}%` }} />
        ))}
      </div>
      <div className="scale-bar" aria-hidden="true" />
      <p className="flex justify-between gap-4 text-xs text-soft">
        <span>{scale.ends[0]}</span>
        <span>{scale.ends[1]}</span>
      </p>
      <p className="mt-1 min-h-5 text-xs text-soft">
        {unknown > 0 && <span className="no-data">{unknown} without data</span>}
      </p>
    </div>
  );
}

function StateLegend({ cells }: { cells: readonly MapCell[] }) {
  const states = Object.keys(STATE_SIGNS) as MapCell["state"][];
  return (
    <ul className="grid gap-1 text-[0.8125rem]">
      {states.map(state => {
        const count = cells.filter(cell => cell.state === state).length;
        return (
          <li key={state} className={`flex items-center gap-2 ${count === 0 ? "text-faint" : ""}`}>
            <span className="shard-sample" data-state={state} aria-hidden="true">
              {STATE_SIGNS[state]}
            </span>
            {state} <span className="ml-auto">{count}</span>
          </li>
        );
      })}
    </ul>
  );
}
