import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useState } from "react";
import { consoleApi } from "../console-api";
import type { EngineRow } from "../contract";
import { Dialog } from "../parts/dialog";
import { Failure } from "../parts/failure";
import { formatCount } from "../parts/format";
import { Measured } from "../parts/measured";
import { PermittedButton } from "../parts/permitted-button";
import { StateBadge } from "../parts/state-badge";
import { engineStateOf } from "./engine-state";
import { Rejects } from "./rejects";
import { TopOfBook } from "./top-of-book";
import { Trades } from "./trades";

const ContinueDialog = dynamic(() => import("./continue-dialog"), { ssr: false });

type EngineDrawerProps = { symbol: string | null; rows: readonly EngineRow[]; onClose: () => void };

const INTERVAL_MS = 1_000;

/** One symbol's engine: the top of its book, its position and backlog, rejects by cause, and the last trades. */
export default function EngineDrawer({ symbol, rows, onClose }: EngineDrawerProps) {
  const row = rows.find(one => one.symbol === symbol);
  return (
    <Dialog kind="drawer" open={symbol !== null} onClose={onClose} title={symbol}>
      {row ? <Details row={row} /> : <p>There is no symbol “{symbol}”.</p>}
    </Dialog>
  );
}

function Problem({ symbol, problem }: { symbol: string; problem: string }) {
  const [isAsked, setIsAsked] = useState(false);
  return (
    <>
      <p className="consequence" data-tone="critical">
        {problem}
      </p>
      <p>
        <PermittedButton
          action="engine.continue"
          className="btn btn-outline"
          onClick={() => setIsAsked(true)}
        >
          Continue {symbol}
        </PermittedButton>
      </p>
      {isAsked && <ContinueDialog symbol={symbol} onClose={() => setIsAsked(false)} />}
    </>
  );
}

function Details({ row }: { row: EngineRow }) {
  const { symbol, problem, position, behind, violations, ordersPerSecond } = row;
  const details = useQuery({
    queryKey: ["engine.get", symbol],
    queryFn: ({ signal }) => consoleApi.engine.get.query({ symbol }, { signal }),
    refetchInterval: INTERVAL_MS,
    staleTime: 0,
    gcTime: 5_000,
  });
  return (
    <>
      {problem !== null && <Problem symbol={symbol} problem={problem} />}
      <TopOfBook row={row} />
      <dl className="facts">
        <dt>State</dt>
        <dd>
          <StateBadge {...engineStateOf(row)} />
        </dd>
        <dt>Position</dt>
        <dd>
          {formatCount(position)}, <Measured value={ordersPerSecond} unit="perSecond" />
        </dd>
        <dt>Backlog</dt>
        <dd>
          {behind === null ? (
            "–"
          ) : (
            <>
              <Measured value={behind} unit="orders" /> in order, not matched yet
            </>
          )}
        </dd>
        <dt>Order violations</dt>
        <dd>
          <StateBadge state={violations > 0 ? "critical" : "ok"} word={formatCount(violations)} />
        </dd>
      </dl>
      {details.data ? (
        <>
          <Rejects row={row} details={details.data} />
          <Trades row={row} trades={details.data.trades} />
        </>
      ) : details.error ? (
        <Failure error={details.error} onRetry={() => void details.refetch()} />
      ) : (
        <p className="skeleton">The last trades and rejects</p>
      )}
    </>
  );
}
