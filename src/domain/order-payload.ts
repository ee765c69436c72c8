import { Packr } from "msgpackr";
import type { Order } from "./order";

const packr = new Packr({ useRecords: false });
const KINDS = ["limit", "market", "cancel"] as const;
const SIDES = [null, "buy", "sell"] as const;

/** Schema version 1: MessagePack array [1, kind, side, orderId, accountId, price, quantity]. */
const VERSION = 1;

/** One order without its symbol, which the record names. */
export function packOrder({ kind, side, orderId, accountId, price, quantity }: Order): Buffer {
  return packr.pack([
    VERSION,
    KINDS.indexOf(kind),
    side === null ? 0 : side === "buy" ? 1 : 2,
    orderId,
    accountId,
    price,
    quantity,
  ]);
}

/** @throws Error when the bytes are no order of a version this build knows */
export function unpackOrder(bytes: Buffer, symbol: string): Order {
  const fields: unknown = packr.unpack(bytes);
  if (!Array.isArray(fields) || fields[0] !== VERSION)
    throw new Error(`unknown order version ${Array.isArray(fields) ? fields[0] : typeof fields}`);
  const kind = KINDS[fields[1]];
  const side = SIDES[fields[2]];
  const [, , , orderId, accountId, price, quantity] = fields;
  const isWhole =
    Number.isSafeInteger(price) && Number.isSafeInteger(quantity) && price >= 0 && quantity >= 0;
  if (!kind || side === undefined || typeof orderId !== "string" || typeof accountId !== "string" || !isWhole)
    throw new Error("malformed order");
  return { kind, symbol, orderId, accountId, side, price, quantity };
}
