import { Flame, Snowflake } from "lucide-react";
import { AUTOMATIC_MODE, EXPIRY } from "../../../domain/orders/split-plan";
import type { SymbolRow } from "../contract";
import { Ago } from "../parts/ago";
import { Countdown } from "../parts/countdown";
import type { Column } from "../parts/data-table";
import { Measured } from "../parts/measured";
import { PermittedButton } from "../parts/permitted-button";
import { UtilizationBar } from "../parts/utilization-bar";
import { Sparkline } from "./sparkline";
import { SymbolBadge } from "./symbol-badge";

export const ASKS = ["hot", "cool", "dismiss", "auto"] as const;
export type Ask = (typeof ASKS)[number];
export type OnAsk = (symbol: string, ask: Ask) => void;

export const symbolColumns = (onAsk: OnAsk): Column<SymbolRow>[] => [
  { id: "symbol", title: "Symbol", sortable: true, cell: row => <strong>{row.symbol}</strong> },
  { id: "state", title: "State", cell: row => <SymbolBadge row={row} /> },
  {
    id: "rate",
    title: "Orders",
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
  {
    id: "shard",
    title: "Of its shard's limit",
    sortable: true,
    cell: ({ shard, flow }) => (
      <span
        className="flex items-center gap-2"
        title={shard ? `Its fullest shard is ${shard.shardId}` : undefined}
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
    ),
  },
  {
    id: "factor",
    title: "Split",
    sortable: true,
    wideOnly: true,
    cell: ({ factor, distinctShards, suggestion, automatic }) => (
      <>
        {factor === 1 ? (
          <span className="text-soft">not split</span>
        ) : (
          `${factor} over ${shards(distinctShards)}`
        )}{" "}
        {suggestion && suggestion.dismissedUntil === null && (
          <span className="mark" data-tone={suggestion.kind === "split" ? "critical" : "unknown"}>
            {suggestion.factor} proposed
          </span>
        )}{" "}
        {automatic.on && (
          <span
            className="mark"
            title={`Automatic mode, up to ${automatic.maxFactor}, by ${automatic.setBy}`}
          >
            auto
          </span>
        )}
      </>
    ),
  },
  {
    id: "lands",
    title: "Lands on",
    wideOnly: true,
    cell: ({ subKeys }) => <span title={subKeys.map(placeOf).join("\n")}>{landsText(subKeys)}</span>,
  },
  {
    id: "until",
    title: "Hot until",
    sortable: true,
    wideOnly: true,
    cell: ({ expiresAt, factor, setBy, setAt }) =>
      factor > 1 ? (
        expiresAt ? (
          <Countdown until={expiresAt} />
        ) : (
          untilText(setBy)
        )
      ) : setBy === EXPIRY && setAt ? (
        <span className="text-soft">
          expired <Ago at={setAt} />
        </span>
      ) : (
        <span className="text-soft">–</span>
      ),
  },
  { id: "epoch", title: "Epoch", number: true, wideOnly: true, cell: row => row.epoch },
  {
    id: "act",
    wideOnly: true,
    title: <span className="sr-only">Actions</span>,
    cell: row => (
      <span className="flex justify-end gap-1">
        <PermittedButton
          action="symbol.split"
          className="btn btn-outline btn-small"
          aria-label={row.factor > 1 ? `Change the split of ${row.symbol}` : `Mark ${row.symbol} hot`}
          onClick={() => onAsk(row.symbol, "hot")}
        >
          <Flame size={13} aria-hidden="true" /> {row.factor > 1 ? "Change" : "Mark hot"}
        </PermittedButton>
        {row.factor > 1 && (
          <PermittedButton
            action="symbol.split"
            className="btn btn-outline btn-small"
            aria-label={`Cool ${row.symbol} down`}
            onClick={() => onAsk(row.symbol, "cool")}
          >
            <Snowflake size={13} aria-hidden="true" /> Cool
          </PermittedButton>
        )}
      </span>
    ),
  },
];

/** When a split without an expiry ends. */
export const untilText = (setBy: string | null) =>
  setBy === AUTOMATIC_MODE ? "it is calm" : "changed by hand";

const shards = (count: number) => (count === 1 ? "1 shard" : `${count} shards`);
const placeOf = ({ partitionKey, shardId }: SymbolRow["subKeys"][number]) =>
  `${partitionKey} → shard ${shardId}`;

function landsText(subKeys: SymbolRow["subKeys"]): string {
  const ids = [...new Set(subKeys.map(({ shardId }) => shardId))];
  const shown = ids.slice(0, 6).join(", ");
  return ids.length > 6 ? `${shown} and ${ids.length - 6} more` : shown;
}
