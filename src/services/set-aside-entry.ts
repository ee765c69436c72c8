import type { Order, TradedSymbol } from "../domain/order";
import { unpackOrder } from "../domain/order-payload";
import { decodeRecord } from "../domain/order-record";

export type SetAsideOrder = Order;
export type SetAsideEntry = {
  id: string;
  reason: string;
  event: Record<string, string | number>;
  /** Empty when they are not kept, or can't be read. */
  orders: SetAsideOrder[];
};

/** Never reached the engine, and are whole: sending them again is sound. */
const AGAIN = new Set(["late", "time_ahead", "unknown_symbol"]);

/** An entry of the side stream, as the aggregator has written it. */
export function readSetAside(id: string, fields: readonly string[]): SetAsideEntry {
  const value = (name: string) => fields[fields.indexOf(name) + 1] ?? "";
  const event = JSON.parse(value("event")) as SetAsideEntry["event"];
  const record = fields.includes("record") ? value("record") : "";
  return { id, reason: value("reason"), event, orders: record === "" ? [] : ordersOf(record) };
}

/** Why an entry can't be sent again; null: it can be. */
export function whyNotAgain(
  { reason, orders }: SetAsideEntry,
  symbols: ReadonlyMap<string, TradedSymbol>,
): string | null {
  if (reason === "gap") return "These records are gone: nothing is left to send.";
  if (!AGAIN.has(reason)) return "Its bytes could not be read as orders.";
  if (orders.length === 0) return "Its orders were not kept, or can't be read.";
  const unknown = orders.find(({ symbol }) => !symbols.has(symbol));
  return unknown ? `There is no symbol “${unknown.symbol}”.` : null;
}

function ordersOf(base64: string): Order[] {
  try {
    const decoded = decodeRecord(Buffer.from(base64, "base64"));
    if (decoded.kind !== "orders") return [];
    const { symbol, bytes, offsets, count } = decoded.run;
    return Array.from({ length: count }, (_, i) =>
      unpackOrder(bytes.subarray(offsets[i], offsets[i + 1]), symbol),
    );
  } catch {
    return [];
  }
}
