import type { Order } from "../domain/orders/order";
import { MAX_PAYLOAD_BYTES, packOrderInto } from "../store/codec/order-payload";
import { BYTES_PER_ORDER, encodeOrders, headBytes } from "../store/codec/order-record";
import type { AccountRoute } from "./account-routes";
import type { Receipt } from "./receipt";

/** An order that was removed from its record: the shard was closed, or its stamp is void. */
export type UnsentOrder = {
  symbol: string;
  accountId: string;
  timeUs: number;
  sequence: number;
  payload: Buffer;
  receipt: Receipt;
  producer: number;
  isUncertain: boolean;
};

export type OrderStamp = Pick<UnsentOrder, "timeUs" | "sequence" | "receipt">;

export function byStamp(a: UnsentOrder, b: UnsentOrder): number {
  return a.timeUs - b.timeUs || a.sequence - b.sequence;
}

const FIRST_BYTES = 1_024;

/**
 * The orders of one sub-key that become one record. They are stored in columns and one growing buffer,
 * since an object per order would be the largest cost of an order.
 */
export class PendingRecord {
  /** The lowest time in it; a reshard may move older orders in behind the first one. */
  firstUs = Number.POSITIVE_INFINITY;
  /** It may be in the log, unconfirmed: a retry must have the same stamps. */
  isUncertain = false;
  /** The record's size, its key included. */
  bytes: number;
  private readonly timesUs: number[] = [];
  private readonly sequences: number[] = [];
  private readonly ends: number[] = [];
  private readonly routes: AccountRoute[] = [];
  private readonly receipts: { receipt: Receipt; count: number }[] = [];
  private payloads = Buffer.allocUnsafe(FIRST_BYTES);
  private used = 0;
  private encoded: Buffer | null = null;

  /** @param producer that gave the stamps */
  constructor(
    readonly symbol: string,
    readonly partitionKey: string,
    readonly producer: number,
  ) {
    this.bytes = headBytes(symbol) + Buffer.byteLength(partitionKey, "utf8");
  }

  get count(): number {
    return this.timesUs.length;
  }

  add(order: Order, route: AccountRoute, stamp: OrderStamp): void {
    this.reserve(MAX_PAYLOAD_BYTES);
    this.push(stamp, route, packOrderInto(order, this.payloads, this.used));
  }

  addUnsent(order: UnsentOrder, route: AccountRoute): void {
    this.reserve(order.payload.length);
    order.payload.copy(this.payloads, this.used);
    this.push(order, route, this.used + order.payload.length);
    if (order.isUncertain) this.isUncertain = true;
  }

  /** The bytes never change after the first call: a retry must send the same. */
  encode(): Buffer {
    const { timesUs, sequences, ends } = this;
    const payloads = this.payloads.subarray(0, this.used);
    this.encoded ??= encodeOrders(this.producer, this.symbol, { timesUs, sequences, ends, payloads });
    return this.encoded;
  }

  /** Its orders are durable. */
  settle(): void {
    this.release();
    for (const { receipt, count } of this.receipts) receipt.settle(count);
  }

  fail(error: Error): void {
    this.release();
    for (const { receipt } of this.receipts) receipt.fail(error);
  }

  /** Gives its orders back, for other records. */
  withdraw(): UnsentOrder[] {
    this.release();
    const { symbol, producer, isUncertain } = this;
    const receipts = this.receipts.flatMap(({ receipt, count }) => Array<Receipt>(count).fill(receipt));
    return this.timesUs.map((timeUs, i) => ({
      symbol,
      producer,
      isUncertain,
      timeUs,
      sequence: this.sequences[i]!,
      accountId: this.routes[i]!.accountId,
      payload: this.payloads.subarray(i === 0 ? 0 : this.ends[i - 1]!, this.ends[i]!),
      receipt: receipts[i]!,
    }));
  }

  private release(): void {
    for (const route of this.routes) route.release();
  }

  private push({ timeUs, sequence, receipt }: OrderStamp, route: AccountRoute, end: number): void {
    this.timesUs.push(timeUs);
    this.sequences.push(sequence);
    this.ends.push(end);
    this.routes.push(route);
    this.bytes += BYTES_PER_ORDER + end - this.used;
    this.used = end;
    if (timeUs < this.firstUs) this.firstUs = timeUs;
    const last = this.receipts.at(-1);
    if (last?.receipt === receipt) last.count += 1;
    else this.receipts.push({ receipt, count: 1 });
  }

  private reserve(bytes: number): void {
    if (this.used + bytes <= this.payloads.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.payloads.length * 2, this.used + bytes));
    this.payloads.copy(larger, 0, 0, this.used);
    this.payloads = larger;
  }
}
