import type { OrderTrace } from "../contract";
import { formatCount } from "../parts/format";
import { StateBadge } from "../parts/state-badge";
import { TraceStep } from "../parts/trace-step";
import { ExactTime } from "./exact-time";
import { StampFacts } from "./stamp-facts";

type Placed = {
  kind: string;
  position: number;
  orderedAt: string | null;
  stamp: Parameters<typeof StampFacts>[0]["stamp"] | null;
};

/** The order's place in its symbol's ordered stream: of a matched order as the engine stored it. */
export function OrderedStep({ trace: { engine, ordered } }: { trace: OrderTrace }) {
  const matched = engine?.order;
  const places: Placed[] = matched ? [matched] : (ordered?.orders ?? []);
  return (
    <TraceStep title="Ordered stream" badge={<OrderedBadge isThere={places.length > 0} ordered={ordered} />}>
      {places.map(({ kind, position, orderedAt, stamp }) => (
        <dl key={position} className="facts mb-2">
          <dt>Position</dt>
          <dd>
            {formatCount(position)}
            {kind === "cancel" && " (cancel)"}
          </dd>
          {stamp && <StampFacts stamp={stamp} />}
          {orderedAt && (
            <>
              <dt>Ordered</dt>
              <dd>
                <ExactTime at={orderedAt} since={stamp?.at} />
              </dd>
            </>
          )}
        </dl>
      ))}
    </TraceStep>
  );
}

function OrderedBadge({ isThere, ordered }: { isThere: boolean } & Pick<OrderTrace, "ordered">) {
  if (isThere) return <StateBadge state="ok" word="in order" />;
  return ordered?.isComplete ? (
    <span className="text-soft">not there</span>
  ) : (
    <StateBadge
      state="unknown"
      word="partly searched"
      title="Only the first of the waiting orders were looked at"
    />
  );
}
