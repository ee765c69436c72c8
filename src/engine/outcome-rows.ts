import type { PoolClient } from "pg";
import type { Order } from "../domain/orders/order";
import type { Stamp } from "../domain/orders/order-stamp";
import type { Pool } from "../store/postgres";
import type { OrderOutcome, OutcomeChange, RejectReason } from "./order-outcomes";

export type OutcomeRow = {
  account_id: string;
  order_id: string;
  position: string;
  kind: "limit" | "market";
  side: "buy" | "sell";
  price: string;
  quantity: string;
  filled: string;
  reason: RejectReason | null;
  cancelled_position: string | null;
  time_us: string;
  producer: string | null;
  sequence: string | null;
  ordered_ms: string | null;
};

export function toOutcome(row: OutcomeRow): OrderOutcome {
  return {
    accountId: row.account_id,
    orderId: row.order_id,
    position: Number(row.position),
    kind: row.kind,
    side: row.side,
    price: Number(row.price),
    quantity: Number(row.quantity),
    filled: Number(row.filled),
    reason: row.reason,
    cancelledPosition: row.cancelled_position === null ? null : Number(row.cancelled_position),
    stamp: { timeUs: Number(row.time_us), producer: Number(row.producer), sequence: Number(row.sequence) },
    orderedMs: row.ordered_ms === null ? null : Number(row.ordered_ms),
  };
}

/** The stored outcomes of these orders, and of those that they cancel. */
export async function selectOutcomes(
  pool: Pool,
  symbol: string,
  orders: readonly Order[],
): Promise<OrderOutcome[]> {
  if (orders.length === 0) return [];
  const { rows } = await pool.query<OutcomeRow>({
    name: "engine-outcomes",
    text: `SELECT o.* FROM unnest($2::text[], $3::text[]) AS i (account_id, order_id)
           JOIN engine_orders o ON o.account_id = i.account_id AND o.order_id = i.order_id AND o.symbol = $1`,
    values: [symbol, orders.map(({ accountId }) => accountId), orders.map(({ orderId }) => orderId)],
  });
  return rows.map(toOutcome);
}

export async function insertOutcomes(
  client: PoolClient,
  symbol: string,
  orders: readonly OrderOutcome[],
): Promise<void> {
  if (orders.length === 0) return;
  const column = <Key extends keyof OrderOutcome>(key: Key) => orders.map(order => order[key]);
  const stamp = (key: keyof Stamp) => orders.map(order => order.stamp[key]);
  await client.query({
    name: "engine-orders",
    text: `INSERT INTO engine_orders (symbol, account_id, order_id, position, kind, side, price, quantity, filled,
                                      reason, cancelled_position, time_us, producer, sequence, ordered_ms)
           SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::bigint[],
                                    $8::bigint[], $9::bigint[], $10::text[], $11::bigint[], $12::bigint[],
                                    $13::bigint[], $14::bigint[], $15::bigint[])`,
    values: [
      symbol,
      column("accountId"),
      column("orderId"),
      column("position"),
      column("kind"),
      column("side"),
      column("price"),
      column("quantity"),
      column("filled"),
      column("reason"),
      column("cancelledPosition"),
      stamp("timeUs"),
      stamp("producer"),
      stamp("sequence"),
      column("orderedMs"),
    ],
  });
}

export async function updateOutcomes(
  client: PoolClient,
  symbol: string,
  changes: readonly OutcomeChange[],
): Promise<void> {
  if (changes.length === 0) return;
  await client.query({
    name: "engine-order-changes",
    text: `UPDATE engine_orders o SET filled = o.filled + c.filled,
             cancelled_position = COALESCE(o.cancelled_position, c.cancelled_position)
           FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[])
             AS c (account_id, order_id, filled, cancelled_position)
           WHERE o.account_id = c.account_id AND o.order_id = c.order_id AND o.symbol = $1`,
    values: [
      symbol,
      changes.map(({ accountId }) => accountId),
      changes.map(({ orderId }) => orderId),
      changes.map(({ filled }) => filled),
      changes.map(({ cancelledPosition }) => cancelledPosition),
    ],
  });
}

/** An order that can still trade or be cancelled. */
export const IS_OPEN =
  "kind = 'limit' AND reason IS NULL AND cancelled_position IS NULL AND filled < quantity";

/** Deletes outcomes of orders up to a position that are not open, at most `limit`. Resolves to their number. */
export async function purgeOutcomes(
  pool: Pool,
  symbol: string,
  { upTo, limit }: { upTo: number; limit: number },
): Promise<number> {
  const { rowCount } = await pool.query(
    `DELETE FROM engine_orders WHERE ctid = ANY(ARRAY(
       SELECT ctid FROM engine_orders WHERE symbol = $1 AND position <= $2 AND NOT (${IS_OPEN}) LIMIT $3))`,
    [symbol, upTo, limit],
  );
  return rowCount ?? 0;
}
