import type { ConsoleClient, OrderDeadLetter } from "../contract";
import type { Confirmation } from "../parts/confirm-dialog";
import { formatCount } from "../parts/format";

type Event = Pick<OrderDeadLetter, "id" | "orderCount" | "event">;

export function replayDeadLetter(
  api: Pick<ConsoleClient, "orders">,
  { id, orderCount, event }: Event,
): Confirmation {
  const what = orderCount === 1 ? "this order" : `these ${formatCount(orderCount)} orders`;
  return {
    title: `Send ${what} of ${event.symbol} again`,
    consequence: `The engine gets ${what} with stamps of now, behind all that ${event.symbol} has seen since. Ask whoever sent it first: they may have sent it anew themselves.`,
    reach: orderCount > 1 ? "large" : "small",
    verb: "Send again",
    run: reason => api.orders.replay.mutate({ id, reason }),
    done: orderCount === 1 ? "The order was sent again" : `${formatCount(orderCount)} orders were sent again`,
    refresh: ["orders.deadLetters"],
  };
}
