import type { ReactNode } from "react";
import type { SymbolPage, SymbolRow } from "../contract";
import { Ago } from "../parts/ago";
import { ConsoleLink } from "../parts/console-link";
import { Countdown } from "../parts/countdown";
import type { Column } from "../parts/data-table";
import { Dialog } from "../parts/dialog";
import { Measured } from "../parts/measured";
import { PermittedButton } from "../parts/permitted-button";
import { SimpleTable } from "../parts/simple-table";
import { StateBadge } from "../parts/state-badge";
import { UtilizationBar } from "../parts/utilization-bar";
import { Sparkline } from "./sparkline";
import { EvidenceText, proposalText } from "./suggestions-panel";
import { utilizationOfShard } from "./summarize-symbols";
import { type OnRequest, untilText } from "./symbol-columns";
import { symbolStateOf } from "./symbol-state";
import { whyText } from "./why-text";

type SymbolDrawerProps = {
  symbol: string | null;
  /** Null: there is no such symbol; undefined: not read yet. */
  row: SymbolRow | null | undefined;
  list: SymbolPage;
  onClose: () => void;
  onRequest: OnRequest;
};

/** The state of a symbol and its cause, the shard of each sub-key, and the actions. */
export default function SymbolDrawer({ symbol, row, list, onClose, onRequest }: SymbolDrawerProps) {
  return (
    <Dialog kind="drawer" open={symbol !== null} onClose={onClose} title={symbol}>
      {row && <Details row={row} list={list} onRequest={onRequest} />}
      {row === null && <p>There is no symbol “{symbol}”.</p>}
    </Dialog>
  );
}

function Details({ row, list, onRequest }: { row: SymbolRow; list: SymbolPage; onRequest: OnRequest }) {
  const { symbol, suggestion, halt } = row;
  const { state, word, title } = symbolStateOf(row);
  return (
    <>
      <p className="flex flex-wrap items-center gap-3">
        <StateBadge state={state} word={word} title={title} />
        <Sparkline label={`Orders of ${symbol}`} values={row.heat} />
      </p>
      {halt && (
        <p className="consequence" data-tone="warning">
          Halted <Ago at={halt.since} /> by {halt.by}: {halt.reason}. New orders are refused; cancels are
          accepted.
        </p>
      )}
      <p className="consequence" data-tone={state === "ok" || halt ? "unknown" : state}>
        {whyText(row, list)}
      </p>
      {suggestion && (
        <p className="consequence" data-tone={suggestion.kind === "split" ? "critical" : "unknown"}>
          Proposed: {proposalText(symbol, suggestion)}. <EvidenceText suggestion={suggestion} />
          {suggestion.dismissedUntil && " A trader dismissed it."}
        </p>
      )}
      <Actions row={row} onRequest={onRequest} />
      <ListingActions row={row} onRequest={onRequest} />
      <SubKeys row={row} list={list} />
      <Facts row={row} />
      <ConsoleLink className="link" href={`/console/audit?search=symbol:${symbol}`}>
        {symbol} in the audit log
      </ConsoleLink>
    </>
  );
}

function Actions({ row: { symbol, factor }, onRequest }: { row: SymbolRow; onRequest: OnRequest }) {
  return (
    <div className="flex flex-wrap gap-2">
      <PermittedButton
        action="symbol.split"
        className="btn btn-primary"
        onClick={() => onRequest(symbol, "split")}
      >
        {factor > 1 ? "Change the split" : `Mark ${symbol} hot`}
      </PermittedButton>
      <PermittedButton
        action="symbol.split"
        className="btn btn-outline"
        disabledReason={factor === 1 ? `${symbol} is not split.` : undefined}
        onClick={() => onRequest(symbol, "merge")}
      >
        Cool down {symbol}
      </PermittedButton>
      <PermittedButton
        action="symbol.setAutomatic"
        className="btn btn-outline"
        onClick={() => onRequest(symbol, "automatic")}
      >
        Automatic mode
      </PermittedButton>
    </div>
  );
}

function ListingActions({ row: { symbol, halt }, onRequest }: { row: SymbolRow; onRequest: OnRequest }) {
  const request = halt ? "resume" : "halt";
  return (
    <div className="flex flex-wrap gap-2">
      <PermittedButton
        action={`symbol.${request}`}
        className="btn btn-outline"
        onClick={() => onRequest(symbol, request)}
      >
        {halt ? "Resume" : "Halt"} {symbol}
      </PermittedButton>
      <PermittedButton
        action="symbol.delist"
        className="btn btn-outline"
        disabledReason={halt ? undefined : `${symbol} trades. Halt it first.`}
        onClick={() => onRequest(symbol, "delist")}
      >
        Delist {symbol}
      </PermittedButton>
    </div>
  );
}

function SubKeys({ row, list }: { row: SymbolRow; list: SymbolPage }) {
  return (
    <div>
      <h3 className="label">Shard of each sub-key</h3>
      <SimpleTable
        label="Sub-keys"
        columns={subKeyColumns(list)}
        rows={row.subKeys}
        rowKey={({ partitionKey }) => partitionKey}
      />
    </div>
  );
}

const subKeyColumns = (list: SymbolPage): Column<SymbolRow["subKeys"][number]>[] => [
  {
    id: "partitionKey",
    title: "Partition key",
    cell: ({ partitionKey }) => <span className="code">{partitionKey}</span>,
  },
  { id: "shard", title: "Shard", cell: ({ shardId }) => shardId },
  {
    id: "utilization",
    title: "Shard utilization",
    cell: ({ shardId }) => (
      <span className="flex items-center gap-2">
        <UtilizationBar utilization={utilizationOfShard(list, shardId)} />
        <span>
          <Measured value={utilizationOfShard(list, shardId)} unit="ratio" />
        </span>
      </span>
    ),
  },
];

function Facts({ row }: { row: SymbolRow }) {
  const {
    priceDecimals,
    quantityDecimals,
    factor,
    placement,
    strategy,
    epoch,
    automatic,
    setAt,
    setBy,
    reason,
  } = row;
  return (
    <dl className="facts">
      <dt>Decimals</dt>
      <dd>
        {priceDecimals} of prices, {quantityDecimals} of quantities
      </dd>
      <dt>Split</dt>
      <dd>
        {factor === 1
          ? "not split"
          : `by ${factor}, ${placement} suffixes, orders ${strategy === "account" ? "by account" : "at random"}`}
      </dd>
      <dt>Epoch</dt>
      <dd>{epoch}</dd>
      <dt>Hot until</dt>
      <dd>{untilOf(row)}</dd>
      <dt>Automatic mode</dt>
      <dd>{automaticText(automatic)}</dd>
      {setAt && (
        <>
          <dt>Last change</dt>
          <dd>
            <Ago at={setAt} /> by {setBy}: {reason}
          </dd>
        </>
      )}
    </dl>
  );
}

function untilOf({ factor, expiresAt, setBy }: SymbolRow): ReactNode {
  if (factor === 1) return "–";
  if (!expiresAt) return untilText(setBy);
  return (
    <>
      <Countdown until={expiresAt} /> left
    </>
  );
}

function automaticText({
  on,
  maxFactor,
  minHotSeconds,
  maxChangesPerHour,
  setBy,
  reason,
}: SymbolRow["automatic"]) {
  if (!on) return setBy ? `off, by ${setBy}: ${reason}` : "off";
  return `on: split by at most ${maxFactor}, after ${minHotSeconds} s hot, at most ${maxChangesPerHour} changes an hour; by ${setBy}: ${reason}`;
}
