import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Order } from "../../domain/orders/order";
import { anOrder, MARKET_MAKER, OrderFixture } from "../../testing/order-fixture";
import { listOrders, readOrder } from "./read-order";
import { RecentOrders } from "./recent-orders";

let fixture: OrderFixture;
let engine: { stop(): Promise<void> };
const recentOrders = new RecentOrders();
let sent = 0;

beforeAll(async () => {
  fixture = await OrderFixture.start();
  fixture.aggregator();
  engine = fixture.engine();
});
afterAll(() => fixture.stop());

const deps = () => ({ pool: fixture.database.pool, plans: fixture.plans, recentOrders });
const read = (orderId: string, accountId = "alice") => readOrder(deps(), { accountId, orderId });

async function match(orders: readonly Order[]): Promise<void> {
  const producer = fixture.producer();
  await (await producer.submit(orders)).durable;
  sent += orders.length;
  await fixture.matched("DOGE", sent);
}

const offer = anOrder({ accountId: MARKET_MAKER, side: "sell", price: 100, quantity: 500 });
const filled = anOrder({ price: 100, quantity: 200 });
const market = anOrder({ kind: "market", price: 0, quantity: 50 });
const resting = anOrder({ price: 90, quantity: 70 });
const cancelled = anOrder({ price: 91, quantity: 10 });
const cancel = anOrder({ ...cancelled, kind: "cancel", side: null, price: 0, quantity: 0 });
const rejected = anOrder({ accountId: "bob", side: "sell", quantity: 1 });
const orders = [offer, filled, market, resting, cancelled, cancel, rejected];

describe("an order's state", () => {
  it("is what the engine stored, in decimals of the symbol", async () => {
    await match(orders);
    expect(await read(filled.orderId)).toMatchObject({
      symbol: "DOGE",
      state: "filled",
      kind: "limit",
      side: "buy",
      price: "0.001",
      quantity: "2",
      filled: "2",
      position: 2,
      reason: null,
    });
    expect(await read(market.orderId)).toMatchObject({ state: "filled", price: null, filled: "0.5" });
    expect(await read(resting.orderId)).toMatchObject({ state: "resting", filled: "0" });
    expect(await read(cancelled.orderId)).toMatchObject({ state: "cancelled", filled: "0" });
    expect(await read(offer.orderId, MARKET_MAKER)).toMatchObject({ state: "partly_filled", filled: "2.5" });
    expect(await read(rejected.orderId, "bob")).toMatchObject({
      state: "rejected",
      reason: "insufficient_balance",
    });
  });

  it("is unknown when no server and no engine knows the id, and accepted before the engine has it", async () => {
    const unknown = { accountId: "alice", orderId: "never" };
    expect(await read("never")).toEqual({ ...unknown, state: "unknown" });
    recentOrders.add([unknown]);
    expect(await read("never")).toEqual({ ...unknown, state: "accepted" });
  });

  it("stays as it is when the orders are sent again, also after the engine was restarted", async () => {
    const before = await listOrders(deps(), { accountId: "alice", symbol: "DOGE", limit: 10 });
    expect(before.map(({ state }) => state)).toEqual(["cancelled", "resting", "filled", "filled"]);
    const trades = (await fixture.totals("DOGE")).trades;
    await match(orders);
    await engine.stop();
    engine = fixture.engine();
    await match(orders);
    expect(await listOrders(deps(), { accountId: "alice", symbol: "DOGE", limit: 10 })).toEqual(before);
    expect(await fixture.totals("DOGE")).toMatchObject({ trades, rejects: 1 });
  });
});
