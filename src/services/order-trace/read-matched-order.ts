import { formatDecimal } from "../../domain/orders/order-decimal";
import { toOutcome } from "../../engine/outcome-rows";
import type { PlanBook } from "../../orders/plan-book";
import type { Pool } from "../../store/postgres";
import {
  findOrderRow,
  type OrderRequest,
  type OrderRow,
  type ShownOrder,
  showOrder,
} from "../orders/read-order";
import { type ShownStamp, showStamp } from "./order-id";

/** A trade of the order, in decimals of the symbol. `maker`: the order was in the book before the other one. */
export type Fill = {
  position: number;
  number: number;
  as: "taker" | "maker";
  otherAccount: string;
  price: string;
  quantity: string;
};
/** An arrival with the order's id that the engine refused: the order itself, another one with its id, or a cancel. */
export type Refusal = { position: number; reason: string };

/** An order as the engine stored it, with the times of its stages; null where that was not kept. */
export type MatchedOrder = {
  order:
    | (ShownOrder & {
        stamp: ShownStamp | null;
        orderedAt: string | null;
        storedAt: string | null;
        cancelledPosition: number | null;
      })
    | null;
  /** Its trades, the first 20 of the symbol's 100,000 behind its position. */
  fills: Fill[];
  /** Of the symbol's newest 100,000; empty while the symbol is not known. */
  rejects: Refusal[];
};

const SHOWN = 20;
const MAX_SCANNED = 100_000;

type Deps = { pool: Pool; plans: PlanBook };

/** @throws AppError CONFLICT when the account uses the id for several symbols and none is given */
export async function readMatchedOrder({ pool, plans }: Deps, request: OrderRequest): Promise<MatchedOrder> {
  const row = await findOrderRow(pool, request);
  const symbol = row?.symbol ?? request.symbol;
  const rejects = symbol === undefined ? [] : await readRejects(pool, symbol, request);
  if (!row) return { order: null, fills: [], rejects };
  const { stamp, orderedMs, cancelledPosition, filled } = toOutcome(row);
  return {
    order: {
      ...showOrder(row, plans),
      stamp: row.producer === null ? null : showStamp(stamp),
      orderedAt: orderedMs === null ? null : new Date(orderedMs).toISOString(),
      storedAt: row.stored_at?.toISOString() ?? null,
      cancelledPosition,
    },
    fills: filled > 0 ? await readFills(pool, plans, row) : [],
    rejects,
  };
}

async function readRejects(
  pool: Pool,
  symbol: string,
  { accountId, orderId }: OrderRequest,
): Promise<Refusal[]> {
  const { rows } = await pool.query<{ position: string; reason: string }>(
    `SELECT position, reason
     FROM (SELECT * FROM engine_rejects WHERE symbol = $1 ORDER BY position DESC LIMIT $2) r
     WHERE account_id = $3 AND order_id = $4 ORDER BY position LIMIT $5`,
    [symbol, MAX_SCANNED, accountId, orderId, SHOWN],
  );
  return rows.map(({ position, reason }) => ({ position: Number(position), reason }));
}

type TradeRow = {
  position: string;
  number: number;
  price: string;
  quantity: string;
  taker_account: string;
  taker_order_id: string;
  maker_account: string;
  maker_order_id: string;
};

async function readFills(pool: Pool, plans: PlanBook, order: OrderRow): Promise<Fill[]> {
  const { symbol, account_id: accountId, order_id: orderId, position } = order;
  const { rows } = await pool.query<TradeRow>(
    `SELECT * FROM (SELECT * FROM engine_trades WHERE symbol = $1 AND position >= $2
                    ORDER BY position, number LIMIT $3) t
     WHERE (taker_account = $4 AND taker_order_id = $5) OR (maker_account = $4 AND maker_order_id = $5)
     ORDER BY position, number LIMIT $6`,
    [symbol, position, MAX_SCANNED, accountId, orderId, SHOWN],
  );
  const { priceDecimals = 0, quantityDecimals = 0 } = plans.decimalsOf(symbol) ?? {};
  return rows.map(row => {
    const isTaker = row.taker_account === accountId && row.taker_order_id === orderId;
    return {
      position: Number(row.position),
      number: row.number,
      as: isTaker ? ("taker" as const) : ("maker" as const),
      otherAccount: isTaker ? row.maker_account : row.taker_account,
      price: formatDecimal(Number(row.price), priceDecimals),
      quantity: formatDecimal(Number(row.quantity), quantityDecimals),
    };
  });
}
