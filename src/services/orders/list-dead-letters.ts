import type { Order } from "../../domain/orders/order";
import { formatDecimal } from "../../domain/orders/order-decimal";
import type { PlanBook } from "../../orders/plan-book";
import { deadLettersKey, replayedKey } from "../../store/order-keys";
import type { RedisClient } from "../../store/redis";
import {
  notReplayableReason,
  type OrderDeadLetterEntry,
  ordersOf,
  readDeadLetters,
} from "./dead-letter-entry";
import { readClaim } from "./replay-claim";

export type ListDeadLettersDeps = { redis: RedisClient; log: string; plans: PlanBook };

const ORDERS_SHOWN = 5;

/** The newest dead letters: why, what was in them, and whether they can be replayed. */
export async function listDeadLetters({ redis, log, plans }: ListDeadLettersDeps, limit: number) {
  const entries = await redis.xrevrange(deadLettersKey(log), "+", "-", "COUNT", limit);
  const claims = entries.length > 0 ? await redis.hmget(replayedKey(log), ...entries.map(([id]) => id)) : [];
  return entries.map(([id, fields], i) => {
    const entry = readDeadLetters(id, fields);
    const { reason, event, run } = entry;
    const claim = readClaim(claims[i]);
    return {
      id,
      at: new Date(Number(id.split("-")[0])).toISOString(),
      reason,
      event,
      orderCount: run?.count ?? 0,
      orders: readable(entry).map(order => shown(order, plans)),
      /** Null: it can be. */
      notReplayableReason: claim ? claim.outcome : notReplayableReason(entry, plans.tradedSymbols),
      replayedBy: claim?.by ?? null,
    };
  });
}

function readable(entry: OrderDeadLetterEntry): Order[] {
  try {
    return ordersOf(entry, ORDERS_SHOWN);
  } catch {
    return [];
  }
}

/** Amounts as decimals where the symbol is known, else in whole units. */
function shown(order: Order, plans: PlanBook) {
  const { kind, symbol, side, price, quantity, orderId, accountId } = order;
  const { priceDecimals = 0, quantityDecimals = 0 } = plans.decimalsOf(symbol) ?? {};
  return {
    kind,
    symbol,
    side,
    orderId,
    accountId,
    price: kind === "limit" ? formatDecimal(price, priceDecimals) : null,
    quantity: kind === "cancel" ? null : formatDecimal(quantity, quantityDecimals),
  };
}
