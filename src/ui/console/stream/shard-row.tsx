import { memo } from "react";
import { type FlowLimits, utilizationOf } from "../../../domain/orders/shard-load";
import type { OrderStatus } from "../contract";
import { formatQuantity } from "../parts/format";
import { Measured } from "../parts/measured";
import type { HeatRow } from "./heat-cells";
import { HeatStrip } from "./heat-strip";

type Shard = OrderStatus["shards"][number];
type Symbols = Shard["symbols"];

type ShardRowProps = {
  row: HeatRow;
  number: number;
  /** The current status, which can be newer than the strip; undefined until it is read. */
  shard: Shard | undefined;
  limits: FlowLimits;
  cursor: number | null;
  isStop: boolean;
  onPoint: (row: number, cell: number) => void;
  onOpen: (row: number, cell: number) => void;
};

/** The row of one shard; drawn again only when one of its values has changed. */
export const ShardRow = memo(
  function ShardRow({ row, number, shard, limits, cursor, isStop, onPoint, onOpen }: ShardRowProps) {
    const { shardId, cells } = row;
    const flow = shard?.flow ?? null;
    const utilization = flow && (utilizationOf(flow, limits)?.utilization ?? null);
    const text = utilization === null ? "no data" : formatQuantity(utilization, "ratio");
    return (
      <tr>
        <td>{shardId}</td>
        <td className="heat-cell">
          <HeatStrip
            label={`Shard ${shardId}: ${text} of its limit now`}
            cells={cells}
            cursor={cursor}
            isStop={isStop}
            row={number}
            onPoint={onPoint}
            onOpen={onOpen}
          />
        </td>
        <td className="number">
          <Measured value={utilization} unit="ratio" />
        </td>
        <td className="wide-only whitespace-nowrap">{symbolsText(shard?.symbols)}</td>
        <td className="number wide-only">
          <Measured value={flow?.recordsPerSecond ?? null} unit="perSecond" />
        </td>
        <td className="number wide-only">
          <Measured value={flow?.bytesPerSecond ?? null} unit="bytesPerSecond" />
        </td>
        <td className="number">
          <Measured value={flow?.throttledPerSecond ?? null} unit="perSecond" />
        </td>
      </tr>
    );
  },
  (before, after) =>
    before.row === after.row &&
    before.cursor === after.cursor &&
    before.isStop === after.isStop &&
    before.shard === after.shard,
);

const NAMED = 3;

/** "DOGE 61 %, BTC 4 %, 12 others". */
function symbolsText(symbols: Symbols | undefined): string {
  if (!symbols) return "";
  const { top, others } = symbols;
  if (top.length === 0) return "–";
  const named = top.slice(0, NAMED).map(({ symbol, utilization, recordsPerSecond }) => {
    const amount =
      utilization === null
        ? formatQuantity(recordsPerSecond, "perSecond")
        : formatQuantity(utilization, "ratio");
    return `${symbol} ${amount}`;
  });
  const rest = top.length - named.length + others.count;
  return [...named, ...(rest > 0 ? [`${rest} ${rest === 1 ? "other" : "others"}`] : [])].join(", ");
}
