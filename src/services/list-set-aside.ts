import type { TradedSymbol } from "../domain/order";
import { formatDecimal } from "../domain/order-decimal";
import type { PlanBook } from "../orders/plan-book";
import { sentAgainKey, sideStreamKey } from "../store/order-keys";
import type { RedisClient } from "../store/redis";
import { readSetAside, type SetAsideOrder, whyNotAgain } from "./set-aside-entry";

export type ListSetAsideDeps = { redis: RedisClient; log: string; plans: PlanBook };

const ORDERS_SHOWN = 5;

/** The newest events of the side stream: why, what was in them, and whether they can be sent again. */
export async function listSetAside({ redis, log, plans }: ListSetAsideDeps, limit: number) {
  const entries = await redis.xrevrange(sideStreamKey(log), "+", "-", "COUNT", limit);
  const sent = entries.length > 0 ? await redis.hmget(sentAgainKey(log), ...entries.map(([id]) => id)) : [];
  return entries.map(([id, fields], i) => {
    const entry = readSetAside(id, fields);
    const { reason, event, orders } = entry;
    return {
      ...{ id, at: new Date(Number(id.split("-")[0])).toISOString(), reason, event },
      orderCount: orders.length,
      orders: orders.slice(0, ORDERS_SHOWN).map(order => shown(order, plans.tradedSymbols)),
      /** Null: it can be. */
      whyNotAgain: whyNotAgain(entry, plans.tradedSymbols),
      sentAgainBy: sent[i] ?? null,
    };
  });
}

/** Amounts as decimals where the symbol is known, else in whole units. */
function shown(
  { kind, symbol, side, price, quantity, ...ids }: SetAsideOrder,
  symbols: ReadonlyMap<string, TradedSymbol>,
) {
  const { priceDecimals = 0, quantityDecimals = 0 } = symbols.get(symbol) ?? {};
  const isCancel = kind === "cancel";
  return {
    ...{ kind, symbol, side, orderId: ids.orderId, accountId: ids.accountId },
    price: kind === "limit" ? formatDecimal(price, priceDecimals) : null,
    quantity: isCancel ? null : formatDecimal(quantity, quantityDecimals),
  };
}
