import type { Order } from "../domain/orders/order";
import { parseStamp, type Stamp } from "../domain/orders/order-stamp";
import type { Pool } from "../store/postgres";
import { type OutcomeRow, toOutcome } from "./outcome-rows";
import { newResults, SymbolEngine, type Totals } from "./symbol-engine";

/** A symbol's engine as its results in Postgres say, without the ordered stream. */
export type RebuiltEngine = { engine: SymbolEngine; last: Stamp; snapshotPosition: number };

type StateRow = Record<"position" | "snapshot_position" | keyof Totals, string> & {
  snapshot: Buffer | null;
  last_stamp: string | null;
};

/**
 * Restores the snapshot, and applies what was matched since: orders and cancels are read from their outcomes.
 * Null: nothing of the symbol is stored.
 * @throws Error when the outcomes do not give the trades that are stored
 */
export async function rebuildEngine(pool: Pool, symbol: string): Promise<RebuiltEngine | null> {
  const state = (await pool.query<StateRow>("SELECT * FROM engine_states WHERE symbol = $1", [symbol]))
    .rows[0];
  if (!state) return null;
  // An order that was not refused was allowed: accounts with credit need not be known here.
  const engine = SymbolEngine.restore(symbol, state.snapshot, { hasCredit: () => true });
  const snapshotPosition = engine.position;
  const results = newResults();
  for (const { position, stamp, order } of await readMatched(pool, symbol, snapshotPosition))
    engine.apply(position, { stamp, order }, results);
  await checkTrades(pool, { symbol, after: snapshotPosition, trades: results.trades });
  const last = parseStamp(state.last_stamp);
  engine.continueAt(Number(state.position), last, {
    orders: Number(state.orders),
    trades: Number(state.trades),
    rejects: Number(state.rejects),
    violations: Number(state.violations),
  });
  return { engine, last, snapshotPosition };
}

type Matched = { position: number; stamp: Stamp; order: Order };
type Row = OutcomeRow & { cancel_only: boolean };

/** Orders that were not refused and cancels that took an order out of the book, by position. */
async function readMatched(pool: Pool, symbol: string, after: number): Promise<Matched[]> {
  const { rows } = await pool.query<Row>(
    `SELECT *, false AS cancel_only FROM engine_orders WHERE symbol = $1 AND position > $2 AND reason IS NULL
     UNION ALL
     SELECT *, true FROM engine_orders WHERE symbol = $1 AND cancelled_position > $2`,
    [symbol, after],
  );
  return rows.map(row => toMatched(row, symbol)).sort((a, b) => a.position - b.position);
}

function toMatched(row: Row, symbol: string): Matched {
  const { accountId, orderId, kind, side, price, quantity, position, cancelledPosition, stamp } =
    toOutcome(row);
  const cancel = { kind: "cancel", symbol, accountId, orderId, side: null, price: 0, quantity: 0 } as const;
  if (row.cancel_only) return { position: cancelledPosition!, stamp, order: cancel };
  return { position, stamp, order: { kind, symbol, accountId, orderId, side, price, quantity } };
}

type Trades = { symbol: string; after: number; trades: readonly { quantity: number }[] };

async function checkTrades(pool: Pool, { symbol, after, trades }: Trades): Promise<void> {
  const { rows } = await pool.query<{ count: number; quantity: string }>(
    `SELECT count(*)::int, coalesce(sum(quantity), 0)::text AS quantity FROM engine_trades
     WHERE symbol = $1 AND position > $2`,
    [symbol, after],
  );
  const quantity = trades.reduce((sum, trade) => sum + BigInt(trade.quantity), 0n);
  const stored = rows[0]!;
  if (stored.count === trades.length && stored.quantity === String(quantity)) return;
  throw new Error(
    `${symbol}: its stored orders give ${trades.length} trades of ${quantity} units behind position ${after}, ` +
      `and ${stored.count} trades of ${stored.quantity} units are stored.`,
  );
}
