import type { OrderTrace } from "../contract";
import { ConsoleLink } from "../parts/console-link";
import { formatCount } from "../parts/format";
import { StateBadge } from "../parts/state-badge";
import { TraceStep } from "../parts/trace-step";
import { ExactTime } from "./exact-time";

/** Dead letters with the order in them, and whether they were replayed. */
export function DeadLetterStep({ search }: { search: OrderTrace["deadLetters"] }) {
  const { orders, isComplete, withoutOrders } = search;
  return (
    <TraceStep
      title="Dead letters"
      badge={
        orders.length > 0 ? (
          <StateBadge
            state="critical"
            word={orders.length === 1 ? "1 dead letter" : `${orders.length} dead letters`}
          />
        ) : isComplete && withoutOrders === 0 ? (
          <StateBadge state="ok" word="none" />
        ) : (
          <StateBadge state="unknown" word="none found" />
        )
      }
    >
      {orders.map(({ id, kind, deadAt, reason, replay }) => (
        <p key={`${id} ${kind}`}>
          <ConsoleLink className="link" href={`/console/dead-letters?id=${id}`}>
            {reason}
          </ConsoleLink>{" "}
          <ExactTime at={deadAt} />. {replay ?? "Not replayed."}
        </p>
      ))}
      {withoutOrders > 0 && (
        <p className="text-soft">
          {formatCount(withoutOrders)} dead letters kept no orders: the order may be in one of them.
        </p>
      )}
    </TraceStep>
  );
}
