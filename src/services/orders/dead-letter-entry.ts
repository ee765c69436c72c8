import type { Order } from "../../domain/orders/order";
import { haltProblem, type ListedSymbol } from "../../domain/orders/symbol-listing";
import { unpackOrder } from "../../store/codec/order-payload";
import { decodeRecord, type OrderRun } from "../../store/codec/order-record";

/** An entry of the stream of dead letters. */
export type OrderDeadLetterEntry = {
  id: string;
  reason: string;
  event: Record<string, string | number>;
  /** Its orders; null when they are not kept, or can't be read. */
  run: OrderRun | null;
};

/** As the aggregator has written it. */
export function readDeadLetters(id: string, fields: readonly string[]): OrderDeadLetterEntry {
  const value = (name: string) => fields[fields.indexOf(name) + 1] ?? "";
  const event = JSON.parse(value("event")) as OrderDeadLetterEntry["event"];
  return {
    id,
    reason: value("reason"),
    event,
    run: fields.includes("record") ? runOf(value("record")) : null,
  };
}

/** The first orders of an entry, at most `limit`. @throws Error when one can't be read */
export function ordersOf({ run }: OrderDeadLetterEntry, limit = Number.POSITIVE_INFINITY): Order[] {
  if (!run) return [];
  const { symbol, bytes, offsets, count } = run;
  return Array.from({ length: Math.min(count, limit) }, (_, i) =>
    unpackOrder(bytes.subarray(offsets[i], offsets[i + 1]), symbol),
  );
}

/** Why an entry cannot be replayed; null: it can be, since it is complete and never reached the engine. */
export function notReplayableReason(
  { reason, run }: OrderDeadLetterEntry,
  symbols: ReadonlyMap<string, ListedSymbol>,
): string | null {
  if (reason === "gap")
    return "These records were trimmed before they were read: there is nothing to replay.";
  if (reason === "malformed") return "Its bytes could not be read as orders.";
  if (reason === "unclear") return "It may have been matched already.";
  if (!run) return "Its orders were not kept: there were too many.";
  const listed = symbols.get(run.symbol);
  return listed ? haltProblem(listed) : `There is no symbol “${run.symbol}”.`;
}

function runOf(base64: string): OrderRun | null {
  try {
    const decoded = decodeRecord(Buffer.from(base64, "base64"));
    return decoded.kind === "orders" ? decoded.run : null;
  } catch {
    return null;
  }
}
