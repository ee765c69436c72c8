import type { ConsoleClient, OrderDeadLetter } from "../contract";
import type { Confirmation } from "../parts/confirm-dialog";
import { formatCount } from "../parts/format";

type DeadLetter = Pick<OrderDeadLetter, "id" | "orderCount" | "event">;

export function replayDeadLetter(
  api: Pick<ConsoleClient, "orders">,
  { id, orderCount, event }: DeadLetter,
): Confirmation {
  const orders = orderCount === 1 ? "1 order" : `${formatCount(orderCount)} orders`;
  return {
    title: `Replay ${orders} of ${event.symbol}`,
    consequence: `The engine gets ${orders} with new timestamps, after all orders of ${event.symbol} that it has. Ask the sender first: they may have submitted ${orderCount === 1 ? "it" : "them"} again.`,
    reach: orderCount > 1 ? "large" : "small",
    verb: `Replay ${orders}`,
    run: reason => api.orders.replay.mutate({ id, reason }),
    done: orderCount === 1 ? "The order was replayed" : `${orders} were replayed`,
    refresh: ["orders.deadLetters"],
  };
}
