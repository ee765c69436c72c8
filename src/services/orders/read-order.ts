import { AppError } from "../../domain/app-error";
import { formatDecimal } from "../../domain/orders/order-decimal";
import type { OrderOutcome } from "../../engine/order-outcomes";
import { type OutcomeRow, toOutcome } from "../../engine/outcome-rows";
import type { PlanBook } from "../../orders/plan-book";
import type { Pool } from "../../store/postgres";
import type { RecentOrders } from "./recent-orders";

/**
 * `accepted`: this server took it, and the engine has not reached it. `unknown`: the engine has no such
 * order, and this server did not take it lately; it may be on its way through another server.
 */
export type OrderState =
  | "accepted"
  | "resting"
  | "partly_filled"
  | "filled"
  | "cancelled"
  | "rejected"
  | "unknown";

/** An order as the engine stored it last. Amounts are decimal strings; `price` is null for a market order. */
export type ShownOrder = {
  symbol: string;
  accountId: string;
  orderId: string;
  state: OrderState;
  /** Why it was rejected. */
  reason: string | null;
  kind: "limit" | "market";
  side: "buy" | "sell";
  price: string | null;
  quantity: string;
  filled: string;
  /** Its place in the symbol's ordered stream. */
  position: number;
  at: string;
};

export type OrderAnswer = ShownOrder | { accountId: string; orderId: string; state: "accepted" | "unknown" };

export type OrderRequest = { accountId: string; orderId: string; symbol?: string };

type Deps = { pool: Pool; plans: PlanBook; recentOrders: RecentOrders };

/** @throws AppError CONFLICT when the account uses the id for several symbols and none is given */
export async function readOrder(deps: Deps, request: OrderRequest): Promise<OrderAnswer> {
  const row = await findOrderRow(deps.pool, request);
  if (row) return showOrder(row, deps.plans);
  const { accountId, orderId } = request;
  const isAccepted = deps.recentOrders.has(request);
  return { accountId, orderId, state: isAccepted ? "accepted" : "unknown" };
}

export type OrderRow = OutcomeRow & { symbol: string; stored_at: Date | null };

/** The engine's record of an order; null: it has none. @throws AppError CONFLICT as readOrder */
export async function findOrderRow(
  pool: Pool,
  { accountId, orderId, symbol }: OrderRequest,
): Promise<OrderRow | null> {
  const { rows } = await pool.query<OrderRow>(
    `SELECT * FROM engine_orders
     WHERE account_id = $1 AND order_id = $2 AND ($3::text IS NULL OR symbol = $3) LIMIT 2`,
    [accountId, orderId, symbol ?? null],
  );
  if (rows.length > 1)
    throw new AppError(
      "CONFLICT",
      `${accountId} has the order ${orderId} in several symbols. Give the symbol.`,
    );
  return rows[0] ?? null;
}

/** Orders of an account that are looked through, from the newest of the symbol on. */
const MAX_SCANNED = 100_000;

/** An account's orders among the newest of a symbol, newest first. */
export async function listOrders(
  { pool, plans }: Deps,
  { accountId, symbol, limit }: { accountId: string; symbol: string; limit: number },
): Promise<ShownOrder[]> {
  const { rows } = await pool.query<OrderRow>(
    `SELECT * FROM (SELECT * FROM engine_orders WHERE symbol = $1 ORDER BY position DESC LIMIT $2) o
     WHERE account_id = $3 ORDER BY position DESC LIMIT $4`,
    [symbol, MAX_SCANNED, accountId, limit],
  );
  return rows.map(row => showOrder(row, plans));
}

export function showOrder(row: OrderRow, plans: PlanBook): ShownOrder {
  const outcome = toOutcome(row);
  const { accountId, orderId, kind, side, price, quantity, filled, reason, position, stamp } = outcome;
  const { priceDecimals, quantityDecimals } = plans.decimalsOf(row.symbol) ?? NO_DECIMALS;
  return {
    symbol: row.symbol,
    accountId,
    orderId,
    state: stateOf(outcome),
    reason,
    kind,
    side,
    price: kind === "limit" ? formatDecimal(price, priceDecimals) : null,
    quantity: formatDecimal(quantity, quantityDecimals),
    filled: formatDecimal(filled, quantityDecimals),
    position,
    at: new Date(stamp.timeUs / 1_000).toISOString(),
  };
}

const NO_DECIMALS = { priceDecimals: 0, quantityDecimals: 0 };

function stateOf({ reason, cancelledPosition, filled, quantity, kind }: OrderOutcome): OrderState {
  if (reason !== null) return "rejected";
  if (filled === quantity) return "filled";
  // What a market order finds no counterpart for is cancelled at once.
  if (cancelledPosition !== null || kind === "market") return "cancelled";
  return filled > 0 ? "partly_filled" : "resting";
}
