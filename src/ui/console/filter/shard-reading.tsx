import type { MapCell } from "../contract";
import { formatCount } from "../parts/format";
import { NoData } from "../parts/measured";
import { type State, StateBadge } from "../parts/state-badge";
import { formatFill, formatRate } from "./format-rate";
import { isProven, STATE_TEXTS } from "./map-layers";

const badges: Record<MapCell["state"], State> = {
  sealed: "ok",
  full: "warning",
  open: "warning",
  missing: "critical",
  mismatched: "critical",
  unreachable: "unknown",
};

/** The figures of the cell under the pointer or focus. The height is fixed, so that the layout stays. */
export function ShardReading({ cell, shardCapacity }: { cell?: MapCell; shardCapacity: number }) {
  return (
    <div className="map-reading">
      {cell && (
        <>
          <p className="flex items-baseline justify-between gap-3">
            <strong className="text-[1.0625rem]">
              Shard <span className="code text-[1em]!">{cell.shard}</span>
            </strong>
            <StateBadge state={badges[cell.state]} word={cell.state} />
          </p>
          <dl className="facts mt-1.5 text-[0.8125rem]">
            <dt>Names</dt>
            <dd>
              {cell.items === null ? (
                <NoData />
              ) : (
                `${formatCount(cell.items)} of ${formatCount(shardCapacity)}`
              )}
            </dd>
            <dt>Fill</dt>
            <dd>{cell.fill === null ? <NoData /> : formatFill(cell.fill)}</dd>
            <dt>False positives</dt>
            <dd>{cell.falsePositiveRate === null ? <NoData /> : formatRate(cell.falsePositiveRate)}</dd>
          </dl>
          {!isProven(cell) && <p className="mt-1.5 text-[0.8125rem] text-soft">{STATE_TEXTS[cell.state]}</p>}
        </>
      )}
    </div>
  );
}
