import type { Order } from "../domain/orders/order";
import type { Stamp } from "../domain/orders/order-stamp";

/**
 * `duplicate_order`: its id belongs to another order of the account. `not_open`: the order to cancel is
 * filled or was refused. `sum_too_large`: a balance or a side of the book could not be counted exactly.
 */
export type RejectReason =
  | "insufficient_balance"
  | "duplicate_order"
  | "unknown_order"
  | "not_open"
  | "sum_too_large"
  | "malformed";

/** What has become of a limit or market order. Quantities and prices are whole units of the symbol. */
export type OrderOutcome = {
  accountId: string;
  orderId: string;
  /** Of the order's first arrival: a repeat has a later one, and changes nothing. */
  position: number;
  kind: "limit" | "market";
  side: "buy" | "sell";
  price: number;
  quantity: number;
  /** Traded so far. */
  filled: number;
  /** Why it was refused; null: it was not. */
  reason: RejectReason | null;
  /** Of the cancel that took the rest of it out of the book; null: there was none. */
  cancelledPosition: number | null;
  stamp: Stamp;
  /** When the aggregator wrote it into the ordered stream, milliseconds since 1970; null: not known. */
  orderedMs: number | null;
};

/** A change of an order that was stored before. */
export type OutcomeChange = {
  accountId: string;
  orderId: string;
  filled: number;
  cancelledPosition: number | null;
};

type Event = { position: number; accountId: string; orderId: string; filled: number };

/**
 * The outcomes of the orders that a batch speaks of: those that are stored, and those of the batch itself.
 * What is stored may be ahead of the engine, which reads its last orders again after a crash, so callers
 * compare positions.
 */
export class OrderOutcomes {
  private readonly known = new Map<string, OrderOutcome>();
  private readonly added: OrderOutcome[] = [];
  private readonly events: Event[] = [];

  constructor(stored: Iterable<OrderOutcome> = []) {
    for (const outcome of stored) this.known.set(keyOf(outcome), outcome);
  }

  find(accountId: string, orderId: string): OrderOutcome | undefined {
    return this.known.get(keyOf({ accountId, orderId }));
  }

  add(outcome: OrderOutcome): void {
    this.known.set(keyOf(outcome), outcome);
    this.added.push(outcome);
  }

  /** A resting order has traded `filled` units with the order at `position`. */
  fill(event: Event): void {
    this.events.push(event);
  }

  cancel(event: Omit<Event, "filled">): void {
    const { position, accountId, orderId } = event;
    const known = this.find(accountId, orderId);
    if (known) known.cancelledPosition ??= position;
    this.events.push({ position, accountId, orderId, filled: 0 });
  }

  /** What is to be stored of the orders behind a position. */
  changesAfter(position: number): { orders: OrderOutcome[]; changes: OutcomeChange[] } {
    const orders = new Map(
      this.added
        .filter(outcome => outcome.position > position)
        .map(outcome => [keyOf(outcome), { ...outcome }]),
    );
    const changes = new Map<string, OutcomeChange>();
    for (const event of this.events) {
      if (event.position <= position) continue;
      const { accountId, orderId, filled } = event;
      const key = keyOf(event);
      const change = orders.get(key) ??
        changes.get(key) ?? { accountId, orderId, filled: 0, cancelledPosition: null };
      change.filled += filled;
      if (filled === 0) change.cancelledPosition ??= event.position;
      if (!orders.has(key)) changes.set(key, change);
    }
    return { orders: [...orders.values()], changes: [...changes.values()] };
  }
}

/** Whether it is the same order that was sent again. */
export function isRepeat(known: OrderOutcome, { kind, side, price, quantity }: Order): boolean {
  return known.kind === kind && known.side === side && known.price === price && known.quantity === quantity;
}

/** Neither an account id nor an order id can hold a colon. */
function keyOf({ accountId, orderId }: { accountId: string; orderId: string }): string {
  return `${accountId}:${orderId}`;
}
