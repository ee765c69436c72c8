import { AppError } from "../../domain/app-error";
import type { Pool } from "../../store/postgres";
import { instantOf } from "./list-engines";

export type ShownTrade = {
  position: number;
  number: number;
  price: number;
  quantity: number;
  taker: string;
  maker: string;
  at: string | null;
};
export type ShownReject = { position: number; accountId: string; orderId: string; reason: string };

/** Details of one symbol's engine, newest first. Prices and quantities are whole units of its decimals. */
export type EngineDetails = {
  trades: ShownTrade[];
  rejects: ShownReject[];
  /** How many of the last `of` orders were refused, by cause. */
  causes: { reason: string; count: number }[];
  of: number;
};

const SHOWN = 20;
/** A bound on what is counted, however busy the symbol is. */
const COUNTED_ORDERS = 10_000;

/** @throws AppError NOT_FOUND */
export async function readEngine(pool: Pool, symbol: string): Promise<EngineDetails> {
  const state = await pool.query<{ position: string | null }>(
    `SELECT e.position FROM traded_symbols s LEFT JOIN engine_states e ON e.symbol = s.symbol WHERE s.symbol = $1`,
    [symbol],
  );
  if (!state.rows[0]) throw new AppError("NOT_FOUND", `There is no symbol “${symbol}”.`);
  const position = Number(state.rows[0].position ?? 0);
  const after = Math.max(0, position - COUNTED_ORDERS);
  const [trades, rejects, causes] = await Promise.all([
    pool.query<Record<"position" | "price" | "quantity" | "taker" | "maker", string> & Timed>(
      `SELECT position, number, price, quantity, taker_account AS taker, maker_account AS maker, time_us
       FROM engine_trades WHERE symbol = $1 ORDER BY position DESC, number DESC LIMIT $2`,
      [symbol, SHOWN],
    ),
    pool.query<{ position: string; account_id: string; order_id: string; reason: string }>(
      `SELECT position, account_id, order_id, reason FROM engine_rejects
       WHERE symbol = $1 ORDER BY position DESC LIMIT $2`,
      [symbol, SHOWN],
    ),
    pool.query<{ reason: string; count: number }>(
      `SELECT reason, count(*)::int AS count FROM engine_rejects
       WHERE symbol = $1 AND position > $2 GROUP BY reason ORDER BY count DESC, reason`,
      [symbol, after],
    ),
  ]);
  return {
    trades: trades.rows.map(row => ({
      position: Number(row.position),
      number: row.number,
      taker: row.taker,
      maker: row.maker,
      price: Number(row.price),
      quantity: Number(row.quantity),
      at: instantOf(row.time_us),
    })),
    rejects: rejects.rows.map(row => ({
      position: Number(row.position),
      reason: row.reason,
      accountId: row.account_id,
      orderId: row.order_id,
    })),
    causes: causes.rows,
    of: position - after,
  };
}

type Timed = { number: number; time_us: string | null };
