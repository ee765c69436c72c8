import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Order } from "../domain/orders/order";
import { MARKET_MAKER, type Results, SymbolEngine } from "./symbol-engine";

let serial = 0;
const order = (change: Partial<Order>): Order => {
  serial += 1;
  const base = { kind: "limit" as const, symbol: "DOGE", orderId: `o${serial}`, accountId: "alice" };
  return { ...base, side: "buy", price: 100, quantity: 10, ...change };
};
const stampOf = (sequence: number) => ({ timeUs: sequence, producer: 1, sequence });

function run(orders: readonly Order[], engine = new SymbolEngine("DOGE")) {
  const results: Results = { trades: [], rejects: [] };
  for (const next of orders)
    engine.apply(engine.position + 1, { stamp: stampOf(engine.position + 1), order: next }, results);
  return { engine, results };
}

const makerOrder = (side: "buy" | "sell", price: number, quantity: number) =>
  order({ accountId: MARKET_MAKER, side, price, quantity });

describe("the reference engine", () => {
  it("matches by price, then by time, at the maker's price", () => {
    const [dear, cheap, later] = [
      makerOrder("sell", 102, 5),
      makerOrder("sell", 101, 5),
      makerOrder("sell", 101, 5),
    ];
    const { results, engine } = run([dear, cheap, later, order({ price: 102, quantity: 12 })]);
    expect(
      results.trades.map(({ price, quantity, makerOrderId }) => [price, quantity, makerOrderId]),
    ).toEqual([
      [101, 5, cheap.orderId],
      [101, 5, later.orderId],
      [102, 2, dear.orderId],
    ]);
    expect(engine.holdings("alice")).toEqual({ free: 12, held: 0 });
  });

  it("sells what was bought before, and refuses what was not", () => {
    const buy = order({ kind: "market", price: 0 });
    const sell = order({ kind: "market", side: "sell", price: 0 });
    const market = [makerOrder("sell", 101, 1_000), makerOrder("buy", 99, 1_000)];
    expect(run([...market, buy, sell]).results.rejects).toEqual([]);
    expect(run([...market, sell, buy]).results.rejects).toMatchObject([{ reason: "insufficient_balance" }]);
  });

  it("holds the quantity of a sale order, and releases it when the order is cancelled", () => {
    const offer = order({ side: "sell", price: 500, quantity: 7 });
    const { engine } = run([makerOrder("sell", 101, 10), order({ price: 101 }), offer]);
    expect(engine.holdings("alice")).toEqual({ free: 3, held: 7 });
    const { results } = run([order({ kind: "cancel", orderId: offer.orderId, accountId: "bob" })], engine);
    expect(results.rejects).toMatchObject([{ reason: "unknown_order", accountId: "bob" }]);
    run([order({ kind: "cancel", orderId: offer.orderId })], engine);
    expect(engine.holdings("alice")).toEqual({ free: 10, held: 0 });
  });

  it("refuses an order id that stands in the book, and bytes that are no order", () => {
    const resting = order({});
    const { engine, results } = run([resting, resting]);
    engine.apply(3, { stamp: stampOf(3), order: null }, results);
    expect(results.rejects.map(({ reason }) => reason)).toEqual(["duplicate_order", "malformed"]);
  });

  it("counts orders at or below their predecessor's stamp", () => {
    const engine = new SymbolEngine("DOGE");
    const results: Results = { trades: [], rejects: [] };
    [1, 3, 2, 3, 4].forEach((sequence, i) => {
      engine.apply(i + 1, { stamp: stampOf(sequence), order: order({}) }, results);
    });
    expect(engine.totals.violations).toBe(2);
  });

  it("returns the best level of each side, and the number of levels", () => {
    expect(run([]).engine.top()).toEqual({ bid: null, ask: null, bidLevels: 0, askLevels: 0 });
    const { engine } = run([
      makerOrder("sell", 103, 4),
      makerOrder("sell", 102, 5),
      makerOrder("sell", 102, 6),
      makerOrder("sell", 110, 1),
      makerOrder("buy", 99, 7),
      makerOrder("buy", 101, 8),
      makerOrder("buy", 90, 1),
      makerOrder("buy", 91, 1),
    ]);
    const top = {
      bid: { price: 101, quantity: 8, orders: 1 },
      ask: { price: 102, quantity: 11, orders: 2 },
      bidLevels: 4,
      askLevels: 3,
    };
    expect(engine.top()).toEqual(top);
    expect(SymbolEngine.restore("DOGE", engine.snapshot()).top()).toEqual(top);
    run([order({ price: 102, quantity: 6 })], engine);
    expect(engine.top().ask).toEqual({ price: 102, quantity: 5, orders: 1 });
    run([order({ price: 102, quantity: 6 })], engine);
    expect(engine.top()).toMatchObject({
      bid: { price: 102, quantity: 1 },
      ask: { price: 103 },
      askLevels: 2,
    });
  });

  it("continues from any snapshot with the same results, and creates or loses no quantity", () => {
    const arbitrary = fc.record({
      kind: fc.constantFrom("limit" as const, "market" as const, "cancel" as const),
      orderId: fc.constantFrom("a", "b", "c", "d", "e"),
      accountId: fc.constantFrom("alice", "bob", MARKET_MAKER),
      side: fc.constantFrom("buy" as const, "sell" as const),
      price: fc.integer({ min: 95, max: 105 }),
      quantity: fc.integer({ min: 1, max: 20 }),
    });
    fc.assert(
      fc.property(fc.array(arbitrary, { maxLength: 60 }), fc.nat(60), (changes, cut) => {
        const orders = changes.map(change => ({ symbol: "DOGE", ...change }));
        const whole = run(orders);
        const first = run(orders.slice(0, cut));
        const second = run(orders.slice(cut), SymbolEngine.restore("DOGE", first.engine.snapshot()));
        expect([...first.results.trades, ...second.results.trades]).toEqual(whole.results.trades);
        expect([...first.results.rejects, ...second.results.rejects]).toEqual(whole.results.rejects);
        expect(second.engine.totals).toEqual(whole.engine.totals);
        for (const account of ["alice", "bob"]) {
          const { free, held } = whole.engine.holdings(account);
          expect(Math.min(free, held)).toBeGreaterThanOrEqual(0);
          const bought = whole.results.trades.reduce(
            (sum, { buyer, seller, quantity }) =>
              sum + (buyer === account ? quantity : 0) - (seller === account ? quantity : 0),
            0,
          );
          expect(free + held).toBe(bought);
        }
      }),
    );
  });
});
