import type { ScenarioOptions } from "../domain/lab/scenario";
import type { Order } from "../domain/orders/order";
import { seededRandom } from "../domain/seeded-random";

/** Stands on both sides of the book, and sells on credit. */
export const MARKET_MAKER = "market-maker";

/** An order of the scenario, and when it is due, milliseconds from the start. */
export type DueOrder = { order: Order; atMs: number; producer: number };

const PRICE = 7_000;
const QUANTITY = 100;
/** How long an account waits between buying and selling again. */
const HOLD_MS = 20;

/**
 * Accounts that buy, and a moment later sell what they bought, at a steady rate with jitter, spread over
 * several producers; the market maker offers both sides. A reader that sees a sale before its purchase
 * sees an account that has nothing to sell.
 */
export function scenarioTraffic(options: Omit<ScenarioOptions, "shards">): DueOrder[] {
  const { symbol, rate, seconds, producers, seed } = options;
  const random = seededRandom(seed);
  const pairs = Math.floor((rate * seconds) / 2);
  const orders: DueOrder[] = [];
  const order = (accountId: string, change: Partial<Order>): Order => ({
    kind: "market",
    symbol,
    orderId: `${accountId}-${change.side}`,
    accountId,
    side: "buy",
    price: 0,
    quantity: QUANTITY,
    ...change,
  });
  const size = QUANTITY * (pairs + 1);
  for (const side of ["sell", "buy"] as const) {
    const change = {
      kind: "limit" as const,
      side,
      price: side === "sell" ? PRICE + 1 : PRICE,
      quantity: size,
    };
    orders.push({ order: order(MARKET_MAKER, change), atMs: 0, producer: 0 });
  }
  for (let i = 0; i < pairs; i += 1) {
    // An account uses one producer, as a browser stays with one server; it waits for no answer.
    const producer = i % producers;
    const atMs = HOLD_MS + ((i + random()) / pairs) * (seconds * 1_000 - 2 * HOLD_MS);
    orders.push({ order: order(`a${i}`, { side: "buy" }), atMs, producer });
    orders.push({ order: order(`a${i}`, { side: "sell" }), atMs: atMs + HOLD_MS * random(), producer });
  }
  return orders.sort((a, b) => a.atMs - b.atMs);
}
