import { type KeyboardEvent, useCallback, useMemo, useRef, useState } from "react";
import { useInTurn } from "../charts/use-in-turn";
import type { OrderStatus, ShardSeries } from "../contract";
import { ScrollArea } from "../parts/scroll-area";
import { CellReading } from "./cell-reading";
import { type CellPlace, stepOnHeatMap, toHeatMap } from "./heat-cells";
import { ShardRow } from "./shard-row";

export type OnShard = (shardId: string, at: number) => void;

type ShardMapProps = {
  series: ShardSeries;
  /** From the order status; undefined until it is read. */
  shards: OrderStatus["shards"] | undefined;
  onOpen: OnShard;
};

/** Shard by time, with the current load and the top symbols of each shard. One tab stop. */
export function ShardMap({ series: next, shards, onOpen }: ShardMapProps) {
  const series = useInTurn(next, false);
  const body = useRef<HTMLTableSectionElement>(null);
  const map = useMemo(() => toHeatMap(series), [series]);
  const [place, setPlace] = useState<CellPlace | null>(null);
  const cells = map.at.length;
  const at = place && {
    row: Math.min(place.row, map.rows.length - 1),
    cell: Math.min(place.cell, cells - 1),
  };
  const onPoint = useCallback((row: number, cell: number) => {
    setPlace(now => (now?.row === row && now.cell === cell ? now : { row, cell }));
  }, []);
  const latest = useRef(map);
  latest.current = map;
  const onCell = useCallback(
    (row: number, cell: number) => {
      const { rows, at: times } = latest.current;
      onOpen(rows[row]!.shardId, times[cell] ?? Date.now());
    },
    [onOpen],
  );

  function onKeyDown(event: KeyboardEvent) {
    const next = stepOnHeatMap(event.key, at ?? { row: 0, cell: cells - 1 }, {
      rows: map.rows.length,
      cells,
    });
    if (!next) return;
    event.preventDefault();
    setPlace(next);
    body.current?.querySelectorAll<HTMLElement>(".heat-strip")[next.row]?.focus();
  }

  const pointed = at && map.rows[at.row]?.cells[at.cell];
  return (
    <section className="panel mb-3" aria-label="Shards over time">
      <div className="panel-head flex-wrap">
        <h2>Shards over time</h2>
        <p className="flex flex-wrap items-center gap-x-4 text-xs text-soft">
          {pointed ? (
            <CellReading shardId={map.rows[at.row]!.shardId} at={map.at[at.cell]!} cell={pointed} />
          ) : (
            <span>Point at a shard or use the arrow keys; Enter opens the shard</span>
          )}
          <span className="flex items-center gap-1.5">
            <span className="heat-scale" aria-hidden="true" /> 0 to 100 % of the limit
          </span>
          <span>
            <span className="swatch" style={{ "--colour": "var(--critical)" } as React.CSSProperties} />
            throttled
          </span>
        </p>
      </div>
      <ScrollArea className="table-scroll shard-scroll" label="Shards over time, table">
        <table className="table shard-time">
          <Heads />
          <tbody ref={body} onKeyDown={onKeyDown} onPointerLeave={() => setPlace(null)}>
            {map.rows.map((row, n) => (
              <ShardRow
                key={row.shardId}
                row={row}
                number={n}
                shard={shards?.find(({ shardId }) => shardId === row.shardId)}
                limits={series.limits}
                cursor={at?.row === n ? at.cell : null}
                isStop={n === (at?.row ?? 0)}
                onPoint={onPoint}
                onOpen={onCell}
              />
            ))}
          </tbody>
        </table>
      </ScrollArea>
    </section>
  );
}

function Heads() {
  return (
    <thead>
      <tr>
        <th scope="col">Shard</th>
        <th scope="col" className="w-full">
          Load
        </th>
        <th scope="col" className="number">
          Now
        </th>
        <th scope="col" className="wide-only">
          Top symbols
        </th>
        <th scope="col" className="number wide-only">
          Records
        </th>
        <th scope="col" className="number wide-only">
          Bytes
        </th>
        <th scope="col" className="number">
          Throttled
        </th>
      </tr>
    </thead>
  );
}
