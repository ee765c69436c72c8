import { useQuery } from "@tanstack/react-query";
import { consoleApi } from "../console-api";
import { type Confirmation, ConfirmDialog } from "../parts/confirm-dialog";
import { Failure } from "../parts/failure";
import { formatCount } from "../parts/format";

/** Each preview rebuilds the engine. */
const PREVIEW_INTERVAL_MS = 10_000;

/** Lets a paused symbol continue from the engine's state. */
export default function ContinueDialog({ symbol, onClose }: { symbol: string; onClose: () => void }) {
  const preview = useQuery({
    queryKey: ["engine.preview", symbol],
    queryFn: ({ signal }) => consoleApi.engine.preview.query({ symbol }, { signal }),
    refetchInterval: PREVIEW_INTERVAL_MS,
    staleTime: 0,
    retry: false,
  });
  const { data, error } = preview;
  const confirmation: Confirmation = {
    title: `Continue ${symbol}`,
    verb: `Continue ${symbol}`,
    action: "engine.continue",
    consequence: `The book and the balances of ${symbol} are rebuilt from what its engine has stored, and the orders that Redis has are matched next. Orders that only the lost data of Redis had are lost: how many is unknown.`,
    reach: "irreversible",
    typedName: symbol,
    details: data ? (
      <Facts {...data} />
    ) : error ? (
      <Failure error={error} onRetry={() => void preview.refetch()} />
    ) : (
      <p className="skeleton">The orders of {symbol}</p>
    ),
    disabledReason: data && !error ? undefined : "Wait for the preview.",
    run: reason =>
      consoleApi.engine.continue.mutate({ symbol, expectedPosition: data?.position ?? 0, reason }),
    done: `${symbol} continues within half a minute`,
    refresh: ["engine.list", "engine.get"],
  };
  return <ConfirmDialog confirmation={confirmation} onClose={onClose} />;
}

type FactsProps = { position: number; next: number; repeats: number; late: number };

function Facts({ position, next, repeats, late }: FactsProps) {
  return (
    <dl className="facts">
      <dt>Matched</dt>
      <dd>{formatCount(position)} orders; their results stay</dd>
      <dt>Matched next</dt>
      <dd>{formatCount(next)} orders in Redis</dd>
      <dt>Left out</dt>
      <dd>{formatCount(repeats)} that were matched before</dd>
      <dt>Dead letters</dt>
      <dd>{formatCount(late)} that came too late; they can be replayed</dd>
    </dl>
  );
}
