import { BYTES_PER_ORDER, encodeOrders, headBytes, type StampedPayload } from "../domain/order-record";
import type { Ticket } from "./ticket";

export type PendingOrder = StampedPayload & { symbol: string; accountId: string; ticket: Ticket };

/** Orders of one sub-key on their way into one record. */
export class PendingRecord {
  readonly orders: PendingOrder[] = [];
  /** The lowest time in it: not the first order's, since a reshard moves older ones in. */
  firstUs = Number.POSITIVE_INFINITY;
  bytes: number;
  private encoded: Buffer | null = null;

  /** @param producer whose stamps these are */
  constructor(
    readonly symbol: string,
    readonly partitionKey: string,
    readonly producer: number,
  ) {
    this.bytes = headBytes(symbol) + Buffer.byteLength(partitionKey, "utf8");
  }

  add(order: PendingOrder): void {
    this.orders.push(order);
    if (order.timeUs < this.firstUs) this.firstUs = order.timeUs;
    this.bytes += BYTES_PER_ORDER + order.payload.length;
  }

  encode(): Buffer {
    this.encoded ??= encodeOrders(this.producer, this.symbol, this.orders);
    return this.encoded;
  }
}
