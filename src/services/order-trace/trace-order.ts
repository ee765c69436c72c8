import { AggregatorStatusStore } from "../../aggregate/aggregator-status-store";
import type { OrderLog } from "../../domain/orders/order-log";
import { partitionOf } from "../../domain/orders/order-partition";
import type { PlanBook } from "../../orders/plan-book";
import type { Pool } from "../../store/postgres";
import type { RedisClient } from "../../store/redis";
import type { EngineRow } from "../engine/list-engines";
import type { OrderRequest } from "../orders/read-order";
import type { RecentOrders } from "../orders/recent-orders";
import { conclude } from "./conclude";
import type { OrderRoute, OrderTrace } from "./order-trace";
import { readMatchedOrder } from "./read-matched-order";
import { searchDeadLetters } from "./search-dead-letters";
import { searchLog } from "./search-log";
import { type OrderedSearch, searchOrdered } from "./search-ordered";

export type TraceOrderDeps = {
  pool: Pool;
  redis: RedisClient;
  log: string;
  orderLog: OrderLog;
  /** Reading Kinesis would take its readers' share of the shards' limit. */
  isLogInRedis: boolean;
  plans: PlanBook;
  recentOrders: RecentOrders;
  engines: () => Promise<{ rows: EngineRow[] }>;
};

/**
 * The state of one order in every part of its way. Changes nothing.
 * @throws AppError CONFLICT when the account uses the id for several symbols and none is given; what Redis or Postgres says
 */
export async function traceOrder(deps: TraceOrderDeps, request: OrderRequest): Promise<OrderTrace> {
  const { accountId, orderId } = request;
  const engine = await readMatchedOrder(deps, request);
  const isMatched = engine.order !== null;
  // In the direction of the orders: one that moves on in between is found further on.
  const log = isMatched ? null : await lookIntoLog(deps, request);
  const ordered = isMatched ? null : await lookIntoStreams(deps, request);
  const deadLetters = await searchDeadLetters(deps, request);
  // In the meantime it may have been matched.
  const now = isMatched ? engine : await readMatchedOrder(deps, request);
  const symbol =
    request.symbol ??
    [now.order, ...(ordered?.orders ?? []), ...(log?.orders ?? []), ...deadLetters.orders].find(one => one)
      ?.symbol ??
    null;
  const trace = {
    accountId,
    orderId,
    symbol,
    isKnownHere: deps.recentOrders.has(request),
    route: symbol === null ? null : await routeOf(deps, symbol, accountId),
    log,
    ordered,
    waitsFor: now.order ? null : await readWaitsFor(deps, symbol, ordered),
    engine: now.order || now.rejects.length > 0 ? now : null,
    deadLetters,
  };
  return { ...trace, conclusion: conclude(trace) };
}

async function lookIntoLog(deps: TraceOrderDeps, request: OrderRequest): Promise<OrderTrace["log"]> {
  if (!deps.isLogInRedis) return { orders: [], isComplete: false, isSearched: false };
  return { ...(await searchLog(deps, request)), isSearched: true };
}

async function lookIntoStreams(deps: TraceOrderDeps, request: OrderRequest): Promise<OrderedSearch> {
  const { rows } = await deps.engines();
  const unread = rows.filter(
    ({ symbol, behind }) => behind !== null && behind > 0 && (request.symbol ?? symbol) === symbol,
  );
  return searchOrdered(deps, unread, request);
}

async function routeOf(
  { plans, orderLog }: TraceOrderDeps,
  symbol: string,
  accountId: string,
): Promise<OrderRoute | null> {
  if (!plans.tradedSymbols.has(symbol)) return null;
  const map = await orderLog.readMap();
  const factor = plans.subKeysOf(symbol, map).length;
  const strategy = factor === 1 ? null : (plans.planOf(symbol)?.strategy ?? null);
  if (strategy === "random") return { factor, strategy, subKey: null, shardId: null };
  const { partitionKey, shardId } = plans.route(symbol, accountId, map);
  return { factor, strategy, subKey: partitionKey, shardId };
}

async function readWaitsFor(
  deps: TraceOrderDeps,
  symbol: string | null,
  ordered: OrderedSearch | null,
): Promise<string | null> {
  if (symbol === null) return null;
  const { rows } = await deps.engines();
  const engine = rows.find(row => row.symbol === symbol);
  if (engine?.problem) return `${symbol} is paused: ${engine.problem}`;
  if (ordered && ordered.orders.length > 0)
    return engine?.behind ? `Orders of ${symbol} that its engine has not matched: ${engine.behind}.` : null;
  const lines = await new AggregatorStatusStore(deps.redis, deps.log).read();
  const line = lines.find(({ partitions }) => partitions.includes(partitionOf(symbol)));
  if (!line) return `No aggregator reads ${symbol} at the moment.`;
  return line.slowestProducer === null ? null : `The aggregator waits for ${line.slowestProducer}.`;
}
