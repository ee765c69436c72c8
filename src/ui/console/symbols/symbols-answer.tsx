import type { SymbolPage } from "../contract";
import { formatQuantity } from "../parts/format";
import { type State, StateBadge } from "../parts/state-badge";

type SymbolsAnswerProps = { list: SymbolPage; isOld: boolean; onMark: (symbol: string) => void };

/** Does any symbol flood its shard, and which one to mark? */
export function SymbolsAnswer({ list, isOld, onMark }: SymbolsAnswerProps) {
  const { shards, urgent: first, split } = list;
  const isCounted = shards.every(({ flow }) => flow !== null);
  const throttled = shards.filter(({ flow }) => flow && flow.throttledPerSecond > 0);
  const state: State = isOld || !isCounted ? "unknown" : first || throttled.length > 0 ? "critical" : "ok";
  const word = isOld
    ? "A while ago: the server does not answer"
    : !isCounted
      ? "No server counts orders at the moment"
      : first
        ? `${first.symbol} ${(first.unsplitShare ?? 0) / first.factor > 1 ? "is more than" : "fills"} ${first.factor === 1 ? "one shard" : `its ${first.factor} shards`}`
        : throttled.length > 0
          ? "Shards refuse records, though no symbol alone fills one"
          : "Every symbol has room";
  return (
    <section
      className="panel mb-3 flex flex-wrap items-center gap-x-8 gap-y-2 px-4 py-3"
      aria-label="Is it all right?"
    >
      <p className="text-[1.0625rem]" role="status">
        <StateBadge state={state} word={word} />
      </p>
      {isCounted && (
        <dl className="flex flex-wrap gap-x-7 gap-y-1">
          <Part title="Orders" text={formatQuantity(list.offeredPerSecond, "perSecond")} />
          <Part title="Split" text={split.join(", ") || "none"} />
          <div className="flex items-center gap-2">
            <dt className="text-soft">Throttled shards</dt>
            <dd>
              <StateBadge
                state={throttled.length > 0 ? "critical" : "ok"}
                word={throttled.length > 0 ? throttled.map(({ shardId }) => shardId).join(", ") : "none"}
              />
            </dd>
          </div>
        </dl>
      )}
      {first && !isOld && (
        <button
          type="button"
          className={first.suggestion ? "btn btn-outline" : "btn btn-primary"}
          onClick={() => onMark(first.symbol)}
        >
          {first.factor > 1 ? `Look at ${first.symbol}` : `Why is ${first.symbol} hot?`}
        </button>
      )}
    </section>
  );
}

function Part({ title, text }: { title: string; text: string }) {
  return (
    <div className="flex items-center gap-2">
      <dt className="text-soft">{title}</dt>
      <dd>{text}</dd>
    </div>
  );
}
