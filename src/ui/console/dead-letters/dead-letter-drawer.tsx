import type { OrderDeadLetter } from "../contract";
import { Ago } from "../parts/ago";
import { formatCount } from "../parts/format";
import { Json } from "../parts/json";
import { PermittedButton } from "../parts/permitted-button";

type Props = { row: OrderDeadLetter; meaning: string; onReplay: () => void };

/** What was set aside, why, and the way to send it again where that is sound. */
export function DeadLetterDrawer({ row, meaning, onReplay }: Props) {
  const { at, event, orders, orderCount, sentAgainBy, whyNotAgain } = row;
  return (
    <>
      <p className="consequence" data-tone="warning">
        {meaning}
      </p>
      <p>
        Set aside <Ago at={at} />.{" "}
        {sentAgainBy === null ? "Its place is gone; it can only go on as something new." : whyNotAgain}
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
                {wordsOf(order)}
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
        blocked={whyNotAgain ?? undefined}
        onClick={onReplay}
      >
        Send again…
      </PermittedButton>
    </>
  );
}

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
