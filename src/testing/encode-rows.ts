import { encodeOrders } from "../store/codec/order-record";

/** A record of orders given one by one. */
export function encodeRows(
  producer: number,
  symbol: string,
  rows: readonly { timeUs: number; sequence: number; payload: Buffer }[],
): Buffer {
  let end = 0;
  return encodeOrders(producer, symbol, {
    timesUs: rows.map(({ timeUs }) => timeUs),
    sequences: rows.map(({ sequence }) => sequence),
    ends: rows.map(({ payload }) => {
      end += payload.length;
      return end;
    }),
    payloads: Buffer.concat(rows.map(({ payload }) => payload)),
  });
}
