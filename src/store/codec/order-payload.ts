import { Packr } from "msgpackr";
import { ORDER_ID, type Order } from "../../domain/orders/order";

const packr = new Packr({ useRecords: false });
const KINDS = ["limit", "market", "cancel"] as const;
const SIDES = [null, "buy", "sell"] as const;

/** Schema version 1: MessagePack array [1, kind, side, orderId, accountId, price, quantity]. */
const VERSION = 1;

/** More than any valid order needs: two ids of 36 characters, two numbers, and their tags. */
export const MAX_PAYLOAD_BYTES = 128;

/**
 * Writes one order, without its symbol, which the record names; resolves to the offset behind it. Without
 * a library, since packing libraries allocate a buffer per order; msgpackr reads it.
 * Format: github.com/msgpack/msgpack/blob/master/spec.md (fixarray, fixint, str 8, float 64).
 */
export function packOrderInto(order: Order, bytes: Buffer, start: number): number {
  let at = start;
  bytes[at++] = 0x97;
  bytes[at++] = VERSION;
  bytes[at++] = order.kind === "limit" ? 0 : order.kind === "market" ? 1 : 2;
  bytes[at++] = order.side === null ? 0 : order.side === "buy" ? 1 : 2;
  at = writeText(order.orderId, bytes, at);
  at = writeText(order.accountId, bytes, at);
  at = writeNumber(order.price, bytes, at);
  return writeNumber(order.quantity, bytes, at);
}

/** Ids are ASCII, so characters are bytes. */
function writeText(text: string, bytes: Buffer, at: number): number {
  bytes[at] = 0xd9;
  bytes[at + 1] = text.length;
  for (let i = 0; i < text.length; i += 1) bytes[at + 2 + i] = text.charCodeAt(i);
  return at + 2 + text.length;
}

function writeNumber(value: number, bytes: Buffer, at: number): number {
  if (value < 128) {
    bytes[at] = value;
    return at + 1;
  }
  if (value <= 0xffffffff) {
    bytes[at] = 0xce;
    bytes.writeUInt32BE(value, at + 1);
    return at + 5;
  }
  bytes[at] = 0xcb;
  bytes.writeDoubleBE(value, at + 1);
  return at + 9;
}

/** One order in a buffer of its own. */
export function packOrder(order: Order): Buffer {
  const bytes = Buffer.allocUnsafe(MAX_PAYLOAD_BYTES);
  return bytes.subarray(0, packOrderInto(order, bytes, 0));
}

function isId(value: unknown): value is string {
  return typeof value === "string" && ORDER_ID.test(value);
}

function isUnits(value: unknown, least: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least;
}

/** Null for bytes that are no order: the producer's fault, which must not stop the symbol. */
export function readOrder(bytes: Buffer, symbol: string): Order | null {
  try {
    return unpackOrder(bytes, symbol);
  } catch {
    return null;
  }
}

/** @throws Error when the bytes are no order of a version this build knows */
export function unpackOrder(bytes: Buffer, symbol: string): Order {
  const fields: unknown = packr.unpack(bytes);
  if (!Array.isArray(fields) || fields[0] !== VERSION)
    throw new Error(`unknown order version ${Array.isArray(fields) ? fields[0] : typeof fields}`);
  const [, kindIndex, sideIndex, orderId, accountId, price, quantity] = fields;
  const kind = Number.isInteger(kindIndex) ? KINDS[kindIndex] : undefined;
  const side = Number.isInteger(sideIndex) ? SIDES[sideIndex] : undefined;
  if (!kind || side === undefined || !isId(orderId) || !isId(accountId)) throw new Error("malformed order");
  // The book would refuse such an order: an unregistered producer may have written any bytes.
  const isRight =
    kind === "cancel"
      ? side === null && isUnits(price, 0) && isUnits(quantity, 0)
      : side !== null && isUnits(price, kind === "limit" ? 1 : 0) && isUnits(quantity, 1);
  if (!isRight) throw new Error("malformed order");
  return { kind, symbol, orderId, accountId, side, price, quantity };
}
