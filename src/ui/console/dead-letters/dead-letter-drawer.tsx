import type { OrderDeadLetter } from "../contract";
import { Ago } from "../parts/ago";
import { ConsoleLink } from "../parts/console-link";
import { formatCount } from "../parts/format";
import { Json } from "../parts/json";
import { PermittedButton } from "../parts/permitted-button";

type DeadLetterDrawerProps = { row: OrderDeadLetter; meaning: string; onReplay: () => void };

/** A dead letter, its reason, and its replay where that is safe. */
export function DeadLetterDrawer({ row, meaning, onReplay }: DeadLetterDrawerProps) {
  const { at, event, orders, orderCount, replayedBy, notReplayableReason: disabledReason } = row;
  return (
    <>
      <p className="consequence" data-tone="warning">
        {meaning}
      </p>
      <p>
        Dead letter since <Ago at={at} />.{" "}
        {replayedBy === null ? "A replay submits its orders again with new timestamps." : disabledReason}
      </p>
      {orders.length > 0 && (
        <div>
          <h3 className="label">
            {orderCount > orders.length
              ? `The first ${orders.length} of ${formatCount(orderCount)} orders`
              : "Orders"}
          </h3>
          <ul className="grid gap-1">
            {orders.map(order => (
              <li key={order.orderId} className="code">
                <ConsoleLink className="link" href={traceOf(order)}>
                  {wordsOf(order)}
                </ConsoleLink>
              </li>
            ))}
          </ul>
        </div>
      )}
      <div>
        <h3 className="label">Event</h3>
        <Json value={event} label="Event" />
      </div>
      <PermittedButton
        action="orders.replay"
        className="btn btn-outline"
        disabledReason={disabledReason ?? undefined}
        onClick={onReplay}
      >
        Replay
      </PermittedButton>
    </>
  );
}

const traceOf = ({ accountId, orderId }: OrderDeadLetter["orders"][number]) =>
  `/console/order-trace?account=${accountId}&order=${orderId}`;

function wordsOf({
  kind,
  side,
  quantity,
  symbol,
  price,
  accountId,
  orderId,
}: OrderDeadLetter["orders"][number]) {
  const what =
    kind === "cancel"
      ? "cancel"
      : `${side} ${quantity} ${symbol}${price === null ? " at market" : ` at ${price}`}`;
  return `${what} · ${accountId} · ${orderId}`;
}
