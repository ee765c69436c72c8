import type { SymbolPage, SymbolRow } from "../contract";
import { Ago } from "../parts/ago";
import { ConsoleLink } from "../parts/console-link";
import { Countdown } from "../parts/countdown";
import { Dialog } from "../parts/dialog";
import { Measured } from "../parts/measured";
import { PermittedButton } from "../parts/permitted-button";
import { UtilizationBar } from "../parts/utilization-bar";
import { Sparkline } from "./sparkline";
import { EvidenceText, proposalText } from "./suggestions-panel";
import { SymbolBadge } from "./symbol-badge";
import { type OnAsk, untilText } from "./symbol-columns";
import { utilizationOfShard } from "./utilization-of-shard";
import { whyText } from "./why-text";

type SymbolDrawerProps = {
  symbol: string | null;
  /** Null where there is none of that name; undefined until it is read. */
  row: SymbolRow | null | undefined;
  list: SymbolPage;
  onClose: () => void;
  onAsk: OnAsk;
};

/** Why it is hot, where it lands, and the two things to do about it. */
export default function SymbolDrawer({ symbol, row, list, onClose, onAsk }: SymbolDrawerProps) {
  return (
    <Dialog kind="drawer" open={symbol !== null} onClose={onClose} title={symbol}>
      {row && <Details row={row} list={list} onAsk={onAsk} />}
      {row === null && <p>There is no such symbol any more.</p>}
    </Dialog>
  );
}

function Details({ row, list, onAsk }: { row: SymbolRow; list: SymbolPage; onAsk: OnAsk }) {
  return (
    <>
      <p className="flex flex-wrap items-center gap-3">
        <SymbolBadge row={row} />
        <Sparkline label={`Orders of ${row.symbol}`} values={row.heat} />
      </p>
      <p className="consequence" data-tone={row.state === "hot" ? "warning" : "unknown"}>
        {whyText(row, list)}
      </p>
      {row.suggestion && (
        <p className="consequence" data-tone={row.suggestion.kind === "split" ? "critical" : "unknown"}>
          Proposed: {proposalText(row.symbol, row.suggestion)}. <EvidenceText suggestion={row.suggestion} />
          {row.suggestion.dismissedUntil && " A trader has dismissed it."}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <PermittedButton
          action="symbol.split"
          className="btn btn-primary"
          onClick={() => onAsk(row.symbol, "hot")}
        >
          {row.factor > 1 ? "Change the split" : `Mark ${row.symbol} hot`}
        </PermittedButton>
        <PermittedButton
          action="symbol.split"
          className="btn btn-outline"
          blocked={row.factor === 1 ? `${row.symbol} is not split.` : undefined}
          onClick={() => onAsk(row.symbol, "cool")}
        >
          Cool {row.symbol} down
        </PermittedButton>
        <PermittedButton
          action="symbol.setAutomatic"
          className="btn btn-outline"
          onClick={() => onAsk(row.symbol, "auto")}
        >
          Automatic mode
        </PermittedButton>
      </div>
      <div>
        <h3 className="label">Where each sub-key lands</h3>
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Partition key</th>
              <th scope="col">Shard</th>
              <th scope="col">Of the shard's limit</th>
            </tr>
          </thead>
          <tbody>
            {row.subKeys.map(({ partitionKey, shardId }) => (
              <tr key={partitionKey}>
                <td className="code">{partitionKey}</td>
                <td>{shardId}</td>
                <td>
                  <span className="flex items-center gap-2">
                    <UtilizationBar utilization={utilizationOfShard(list, shardId)} />
                    <span>
                      <Measured value={utilizationOfShard(list, shardId)} unit="ratio" />
                    </span>
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <dl className="facts">
        <dt>Split</dt>
        <dd>
          {row.factor === 1
            ? "not split"
            : `by ${row.factor}, ${row.placement} suffixes, orders ${row.strategy === "account" ? "by account" : "at random"}`}
        </dd>
        <dt>Epoch</dt>
        <dd>{row.epoch}</dd>
        <dt>Hot until</dt>
        <dd>
          {row.factor > 1 && row.expiresAt ? (
            <>
              <Countdown until={row.expiresAt} /> left
            </>
          ) : row.factor > 1 ? (
            untilText(row.setBy)
          ) : (
            "–"
          )}
        </dd>
        <dt>Automatic mode</dt>
        <dd>{automaticText(row.automatic)}</dd>
        {row.setAt && (
          <>
            <dt>Last changed</dt>
            <dd>
              <Ago at={row.setAt} /> by {row.setBy}: {row.reason}
            </dd>
          </>
        )}
      </dl>
      <ConsoleLink className="link" href={`/console/audit?search=symbol:${row.symbol}`}>
        {row.symbol} in the audit log
      </ConsoleLink>
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
  return `up to ${maxFactor}, once hot for ${minHotSeconds} s, ${maxChangesPerHour} changes an hour at most; by ${setBy}: ${reason}`;
}
