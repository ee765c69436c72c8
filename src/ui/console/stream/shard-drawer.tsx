import { useMemo } from "react";
import { ChartView } from "../charts/chart-panel";
import type { TimeWindow } from "../charts/time-window";
import type { Annotation, OrderStatus, ShardSeries } from "../contract";
import { ConsoleLink } from "../parts/console-link";
import type { Column } from "../parts/data-table";
import { Dialog } from "../parts/dialog";
import { formatExact, formatQuantity } from "../parts/format";
import { Measured } from "../parts/measured";
import { PermittedButton } from "../parts/permitted-button";
import { SimpleTable } from "../parts/simple-table";
import { UtilizationBar } from "../parts/utilization-bar";
import { cellText } from "./cell-reading";
import { toHeatMap } from "./heat-cells";
import { toShardLines } from "./shard-lines";
import type { ShardRequest } from "./shard-request";
import { shardCharts } from "./stream-charts";

export type ShardDrawerProps = {
  shardId: string | null;
  /** The chosen moment, milliseconds since 1970. */
  at: number | null;
  series: ShardSeries;
  shards: OrderStatus["shards"] | undefined;
  window: TimeWindow;
  annotations: readonly Annotation[];
  onChange: (request: ShardRequest, shardId: string) => void;
  onClose: () => void;
};

/** One shard: its load at the chosen moment and over time, and the symbols on it now. */
export function ShardDrawer(props: ShardDrawerProps) {
  const { shardId, series, onClose } = props;
  const isKnown = series.shards.some(shard => shard.shardId === shardId);
  return (
    <Dialog kind="drawer" open={shardId !== null} onClose={onClose} title={`Shard ${shardId}`}>
      {shardId !== null &&
        (isKnown ? <Details {...props} shardId={shardId} /> : <p>There is no shard “{shardId}”.</p>)}
    </Dialog>
  );
}

function Details({
  shardId,
  at,
  series,
  shards,
  window,
  annotations,
  onChange,
}: ShardDrawerProps & { shardId: string }) {
  const symbols = shards?.find(shard => shard.shardId === shardId)?.symbols;
  const [records, bytes] = useMemo(
    () => shardCharts([shardId], false, series.limits),
    [shardId, series.limits],
  );
  const lines = useMemo(() => {
    const of = (pick: "records" | "bytes") =>
      toShardLines(
        series,
        series.shards
          .filter(shard => shard.shardId === shardId)
          .map(shard => ({ shardId, values: shard[pick] })),
        [shardId],
      );
    return { records: of("records"), bytes: of("bytes") };
  }, [series, shardId]);
  const common = { window, annotations, error: null };
  return (
    <>
      {at !== null && <Moment series={series} shardId={shardId} at={at} />}
      <Changes shardId={shardId} isOnly={series.shards.length === 1} onChange={onChange} />
      <section aria-label="Symbols on this shard">
        <h3 className="mb-1.5 font-medium">Symbols on this shard</h3>
        <SymbolTable symbols={symbols} />
      </section>
      <ChartView {...common} spec={records} data={lines.records} />
      <ChartView {...common} spec={bytes} data={lines.bytes} />
    </>
  );
}

type ChangesProps = Pick<ShardDrawerProps, "onChange"> & { shardId: string; isOnly: boolean };

function Changes({ shardId, isOnly, onChange }: ChangesProps) {
  return (
    <div className="flex flex-wrap gap-2">
      <PermittedButton
        action="shards.change"
        className="btn btn-outline"
        onClick={() => onChange("split", shardId)}
      >
        Split shard
      </PermittedButton>
      <PermittedButton
        action="shards.change"
        className="btn btn-outline"
        disabledReason={isOnly ? "It is the only shard." : undefined}
        onClick={() => onChange("merge", shardId)}
      >
        Merge with neighbour
      </PermittedButton>
    </div>
  );
}

function Moment({ series, shardId, at }: { series: ShardSeries; shardId: string; at: number }) {
  const map = toHeatMap(series);
  const n = map.at.findIndex(start => at >= start && at < start + map.stepMs);
  const cell = map.rows.find(row => row.shardId === shardId)?.cells[n];
  return (
    <p className="consequence" data-tone={(cell?.throttled ?? 0) > 0 ? "critical" : "unknown"}>
      {formatExact(at)}: {cell ? cellText(cell) : "outside of the time window"}
    </p>
  );
}

type Symbols = OrderStatus["shards"][number]["symbols"];

function SymbolTable({ symbols }: { symbols: Symbols | undefined }) {
  if (!symbols) return <p className="no-data">no data: no server reports</p>;
  const { top, others } = symbols;
  if (top.length === 0) return <p className="text-soft">No records in the last seconds.</p>;
  const rows: SymbolLoad[] = [...top];
  if (others.recordsPerSecond > 0)
    rows.push({ others: others.count, recordsPerSecond: others.recordsPerSecond });
  return (
    <SimpleTable
      label="Load of each symbol"
      columns={symbolColumns}
      rows={rows}
      rowKey={row => ("symbol" in row ? row.symbol : "others")}
    />
  );
}

type SymbolLoad = NonNullable<Symbols>["top"][number] | { others: number; recordsPerSecond: number };

const symbolColumns: Column<SymbolLoad>[] = [
  {
    id: "symbol",
    title: "Symbol",
    cell: row =>
      "symbol" in row ? (
        <ConsoleLink className="link" href={`/console/symbols?symbol=${row.symbol}`}>
          {row.symbol}
        </ConsoleLink>
      ) : (
        <span className="text-soft">{row.others > 0 ? `${row.others} others` : "others"}</span>
      ),
  },
  {
    id: "utilization",
    title: "Utilization",
    cell: row =>
      "symbol" in row ? (
        <span
          className="flex items-center gap-2"
          title={formatQuantity(row.bytesPerSecond, "bytesPerSecond")}
        >
          <UtilizationBar utilization={row.utilization} />
          <span>
            <Measured value={row.utilization} unit="ratio" />
          </span>
        </span>
      ) : (
        "–"
      ),
  },
  {
    id: "records",
    title: "Records",
    number: true,
    cell: ({ recordsPerSecond }) => <Measured value={recordsPerSecond} unit="perSecond" />,
  },
];
