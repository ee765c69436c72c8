import type { Order } from "../../domain/orders/order";
import type { Stamp } from "../../domain/orders/order-stamp";
import { readOrder } from "../../store/codec/order-payload";
import type { OrderRun } from "../../store/codec/order-record";

/** What a support case names. A cancel has the id of the order that it cancels. */
export type OrderId = { accountId: string; orderId: string };

/** When the server took the order, also for people, which producer of the log it was, and its order's number. */
export type ShownStamp = Stamp & { at: string };

/** One order or cancel somewhere on its way. */
export type FoundOrder = { kind: Order["kind"]; symbol: string; stamp: ShownStamp };

export const isOf = (order: Order | null, { accountId, orderId }: OrderId): order is Order =>
  order !== null && order.orderId === orderId && order.accountId === accountId;

/** The orders of a record with this id. */
export function findInRun(run: OrderRun, id: OrderId): FoundOrder[] {
  const { symbol, producer, bytes, offsets, timesUs, sequences, count } = run;
  // Ids are ASCII: most records are passed without reading their orders.
  if (!bytes.includes(id.orderId, 0, "latin1")) return [];
  const found: FoundOrder[] = [];
  for (let i = 0; i < count; i += 1) {
    const order = readOrder(bytes.subarray(offsets[i], offsets[i + 1]), symbol);
    if (!isOf(order, id)) continue;
    const stamp = showStamp({ timeUs: timesUs[i]!, producer, sequence: sequences[i]! });
    found.push({ kind: order.kind, symbol, stamp });
  }
  return found;
}

export const showStamp = (stamp: Stamp): ShownStamp => ({
  ...stamp,
  at: new Date(stamp.timeUs / 1_000).toISOString(),
});
