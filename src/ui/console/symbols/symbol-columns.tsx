import { Flame, Snowflake } from "lucide-react";
import { AUTOMATIC_MODE, EXPIRY } from "../../../domain/orders/split-plan";
import type { SymbolRow } from "../contract";
import { Ago } from "../parts/ago";
import { Countdown } from "../parts/countdown";
import type { Column } from "../parts/data-table";
import { Measured } from "../parts/measured";
import { PermittedButton } from "../parts/permitted-button";
import { StateBadge } from "../parts/state-badge";
import { UtilizationBar } from "../parts/utilization-bar";
import { Sparkline } from "./sparkline";
import { symbolStateOf } from "./symbol-state";

export const SYMBOL_REQUESTS = [
  "split",
  "merge",
  "dismiss",
  "automatic",
  "halt",
  "resume",
  "delist",
] as const;
export type SymbolRequest = (typeof SYMBOL_REQUESTS)[number];
export type OnRequest = (symbol: string, request: SymbolRequest) => void;

export const symbolColumns = (onRequest: OnRequest): Column<SymbolRow>[] => [
  { id: "symbol", title: "Symbol", sortable: true, cell: row => <strong>{row.symbol}</strong> },
  { id: "state", title: "State", cell: row => <StateCell row={row} /> },
  {
    id: "rate",
    title: "Order rate",
    sortable: true,
    number: true,
    cell: row => <Measured value={row.flow?.offeredPerSecond} unit="perSecond" />,
  },
  {
    id: "heat",
    title: "Heat, last 10 min",
    sortable: true,
    wideOnly: true,
    cell: row => <Sparkline label={`Orders of ${row.symbol}`} values={row.heat} />,
  },
  { id: "shard", title: "Shard utilization", sortable: true, cell: row => <ShardCell row={row} /> },
  { id: "factor", title: "Split", sortable: true, wideOnly: true, cell: row => <SplitCell row={row} /> },
  {
    id: "lands",
    title: "Shards",
    wideOnly: true,
    cell: ({ subKeys }) => <span title={subKeys.map(placeOf).join("\n")}>{shardsText(subKeys)}</span>,
  },
  { id: "until", title: "Hot until", sortable: true, wideOnly: true, cell: row => <UntilCell row={row} /> },
  { id: "epoch", title: "Epoch", number: true, wideOnly: true, cell: row => row.epoch },
  {
    id: "act",
    wideOnly: true,
    title: <span className="sr-only">Actions</span>,
    cell: row => <Actions row={row} onRequest={onRequest} />,
  },
];

type CellProps = { row: SymbolRow };

function StateCell({ row }: CellProps) {
  return (
    <>
      <StateBadge {...symbolStateOf(row)} />
      {row.halt && (
        <span className="block max-w-48 truncate text-[0.8125rem] text-soft" title={row.halt.reason}>
          {row.halt.reason}
        </span>
      )}
    </>
  );
}

function ShardCell({ row: { shard, flow } }: CellProps) {
  return (
    <span
      className="flex items-center gap-2"
      title={shard ? `Its fullest shard: ${shard.shardId}` : undefined}
    >
      <UtilizationBar utilization={shard?.utilization ?? null} />
      {flow && !shard ? (
        <span className="text-soft">no limit</span>
      ) : (
        <span>
          <Measured value={shard?.utilization} unit="ratio" />
        </span>
      )}
    </span>
  );
}

function SplitCell({ row: { factor, distinctShards, suggestion, automatic } }: CellProps) {
  return (
    <>
      {factor === 1 ? (
        <span className="text-soft">not split</span>
      ) : (
        `${factor} over ${distinctShards === 1 ? "1 shard" : `${distinctShards} shards`}`
      )}{" "}
      {suggestion && suggestion.dismissedUntil === null && (
        <span className="mark" data-tone={suggestion.kind === "split" ? "critical" : "unknown"}>
          {suggestion.factor} proposed
        </span>
      )}{" "}
      {automatic.on && (
        <span className="mark" title={`Automatic mode, up to ${automatic.maxFactor}, by ${automatic.setBy}`}>
          auto
        </span>
      )}
    </>
  );
}

function UntilCell({ row: { expiresAt, factor, setBy, setAt } }: CellProps) {
  if (factor > 1) return expiresAt ? <Countdown until={expiresAt} /> : untilText(setBy);
  if (setBy !== EXPIRY || !setAt) return <span className="text-soft">–</span>;
  return (
    <span className="text-soft">
      expired <Ago at={setAt} />
    </span>
  );
}

function Actions({ row: { symbol, factor }, onRequest }: CellProps & { onRequest: OnRequest }) {
  return (
    <span className="flex justify-end gap-1">
      <PermittedButton
        action="symbol.split"
        className="btn btn-outline btn-small"
        aria-label={factor > 1 ? `Change the split of ${symbol}` : `Mark ${symbol} hot`}
        onClick={() => onRequest(symbol, "split")}
      >
        <Flame size={13} aria-hidden="true" /> {factor > 1 ? "Change" : "Mark hot"}
      </PermittedButton>
      {factor > 1 && (
        <PermittedButton
          action="symbol.split"
          className="btn btn-outline btn-small"
          aria-label={`Cool down ${symbol}`}
          onClick={() => onRequest(symbol, "merge")}
        >
          <Snowflake size={13} aria-hidden="true" /> Cool down
        </PermittedButton>
      )}
    </span>
  );
}

/** The end of a split without an expiry. */
export const untilText = (setBy: string | null) =>
  setBy === AUTOMATIC_MODE ? "merged automatically" : "changed manually";

const placeOf = ({ partitionKey, shardId }: SymbolRow["subKeys"][number]) =>
  `${partitionKey} → shard ${shardId}`;

function shardsText(subKeys: SymbolRow["subKeys"]): string {
  const ids = [...new Set(subKeys.map(({ shardId }) => shardId))];
  const shown = ids.slice(0, 6).join(", ");
  return ids.length > 6 ? `${shown} and ${ids.length - 6} more` : shown;
}
