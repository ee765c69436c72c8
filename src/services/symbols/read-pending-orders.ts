import { AggregatorStatusStore } from "../../aggregate/aggregator-status-store";
import { AppError } from "../../domain/app-error";
import { partitionOf } from "../../domain/orders/order-partition";
import { factorAt } from "../../domain/orders/split-plan";
import { delistProblem, type ListingState, type PendingOrders } from "../../domain/orders/symbol-listing";
import { IS_OPEN } from "../../engine/outcome-rows";
import type { PlanBook } from "../../orders/plan-book";
import { headKey } from "../../store/order-keys";
import type { Pool } from "../../store/postgres";
import type { RedisClient } from "../../store/redis";

export type PendingDeps = { pool: Pool; redis: RedisClient; log: string; plans: PlanBook };

export type ShownPending = PendingOrders & {
  /** Why the symbol can't be delisted now; null: it can be. */
  problem: string | null;
};

type Row = { state: ListingState; since_ms: number; position: string | null; open_orders: number };

/**
 * Open orders of a symbol, those that are on their way, and whether it can be delisted.
 * @throws AppError NOT_FOUND, or what Redis or Postgres says
 */
export async function readDelistProblem(
  { pool, redis, log, plans }: PendingDeps,
  symbol: string,
): Promise<ShownPending> {
  // The lag first: what the aggregator has passed is in the head that is read after it.
  const lines = await new AggregatorStatusStore(redis, log).read();
  const partition = partitionOf(symbol);
  const lagMs = lines.find(({ partitions }) => partitions.includes(partition))?.lagMs ?? null;
  const head = await redis.hget(headKey(log, partition, symbol), "position");
  const row = await readRow(pool, symbol);
  const position = Number(row.position ?? 0);
  const pending: PendingOrders = { openOrders: row.open_orders, behind: behindOf(head, position), lagMs };
  const factor = factorAt(plans.planOf(symbol), Date.now());
  const problem = delistProblem({ symbol, state: row.state, sinceMs: row.since_ms, factor }, pending);
  return { ...pending, problem };
}

/** A stream that is gone tells nothing about orders after the engine's position. */
function behindOf(head: string | null, position: number): number | null {
  if (head === null) return position === 0 ? 0 : null;
  return Math.max(0, Number(head) - position);
}

/** Position and open orders in one statement, so that they belong together. */
async function readRow(pool: Pool, symbol: string): Promise<Row> {
  const { rows } = await pool.query<Row>({
    name: "pending-orders",
    text: `SELECT s.state, e.position,
             (extract(epoch FROM clock_timestamp() - s.state_since) * 1000)::float8 AS since_ms,
             (SELECT count(*)::int FROM engine_orders o WHERE o.symbol = s.symbol AND ${IS_OPEN}) AS open_orders
           FROM traded_symbols s LEFT JOIN engine_states e ON e.symbol = s.symbol
           WHERE s.symbol = $1 AND s.state <> 'delisted'`,
    values: [symbol],
  });
  if (!rows[0]) throw new AppError("NOT_FOUND", `There is no symbol “${symbol}”.`);
  return rows[0];
}
