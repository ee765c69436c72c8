import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Order } from "../domain/orders/order";
import type { OrderOutcome } from "./order-outcomes";
import { newResults, SymbolEngine } from "./symbol-engine";

let serial = 0;
const order = (change: Partial<Order>): Order => {
  serial += 1;
  const base = { kind: "limit" as const, symbol: "DOGE", orderId: `o${serial}`, accountId: "alice" };
  return { ...base, side: "buy", price: 100, quantity: 10, ...change };
};
const stampOf = (sequence: number) => ({ timeUs: sequence, producer: 1, sequence });

const MARKET_MAKER = "market-maker";
const OPTIONS = { hasCredit: (accountId: string) => accountId === MARKET_MAKER };
const newEngine = () => new SymbolEngine("DOGE", OPTIONS);
const restore = (snapshot: Buffer) => SymbolEngine.restore("DOGE", snapshot, OPTIONS);

function run(orders: readonly Order[], engine = newEngine(), results = newResults()) {
  for (const next of orders)
    engine.apply(engine.position + 1, { stamp: stampOf(engine.position + 1), order: next }, results);
  return { engine, results };
}

const makerOrder = (side: "buy" | "sell", price: number, quantity: number) =>
  order({ accountId: MARKET_MAKER, side, price, quantity });

/** The stored outcomes, as the database keeps them. */
class OutcomeTable {
  readonly rows = new Map<string, OrderOutcome>();
  private committed = 0;

  run(orders: readonly Order[], engine: SymbolEngine) {
    const ids = new Set(orders.map(idOf));
    const stored = [...this.rows.values()].filter(row => ids.has(idOf(row)));
    const done = run(orders, engine, newResults(stored.map(row => ({ ...row }))));
    const { orders: added, changes } = done.results.outcomes.changesAfter(this.committed);
    for (const row of added) this.rows.set(idOf(row), row);
    for (const change of changes) {
      const row = this.rows.get(idOf(change))!;
      row.filled += change.filled;
      row.cancelledPosition ??= change.cancelledPosition;
    }
    this.committed = engine.position;
    return done;
  }

  /** All in one batch. */
  runAll(orders: readonly Order[]) {
    this.run(orders, newEngine());
    return this.rows;
  }
}

const idOf = ({ accountId, orderId }: { accountId: string; orderId: string }) => `${accountId}:${orderId}`;

describe("an order id", () => {
  const offer = makerOrder("sell", 100, 50);
  const cancelOf = ({ accountId, orderId }: Order) => order({ kind: "cancel", accountId, orderId });
  const filled = order({ price: 100 });
  const market = order({ kind: "market", price: 0 });
  const resting = order({ price: 90 });
  const cancelled = order({ price: 91 });
  const once = [offer, filled, market, resting, cancelled, cancelOf(cancelled)];

  it("is executed once, in each state of its order", () => {
    const repeats = [filled, market, resting, cancelled, cancelOf(cancelled), offer];
    const table = new OutcomeTable();
    const { engine } = table.run(once, newEngine());
    const before = structuredClone(table.rows);
    const { results } = table.run(repeats, engine);
    expect(results).toMatchObject({ trades: [], rejects: [] });
    expect(table.rows).toEqual(before);
    expect(engine.holdings("alice")).toEqual({ free: 20, held: 0 });
    expect(table.rows.get(idOf(cancelled))).toMatchObject({ filled: 0, cancelledPosition: 6 });
    expect(table.rows.get(idOf(offer))).toMatchObject({ quantity: 50, filled: 20 });
  });

  it("belongs to one order, of any kind", () => {
    const table = new OutcomeTable();
    const { engine } = table.run(once, newEngine());
    const other = [
      { ...market, quantity: 11 },
      { ...resting, kind: "market" as const, price: 0 },
      cancelOf(filled),
    ];
    const { results } = table.run(other, engine);
    expect(results.rejects.map(({ reason }) => reason)).toEqual([
      "duplicate_order",
      "duplicate_order",
      "not_open",
    ]);
    // A resting order stays where it is.
    expect(engine.top().bid).toEqual({ price: 90, quantity: 10, orders: 1 });
  });

  it("keeps its first outcome when that was a refusal", () => {
    const sale = order({ side: "sell", price: 100, quantity: 5 });
    const table = new OutcomeTable();
    const { engine, results } = table.run([sale, offer, filled], newEngine());
    expect(results.rejects).toMatchObject([{ reason: "insufficient_balance" }]);
    expect(table.run([sale], engine).results).toMatchObject({ trades: [], rejects: [] });
    expect(table.rows.get(idOf(sale))).toMatchObject({ reason: "insufficient_balance" });
  });
});

describe("sums of units", () => {
  const HUGE = 1e15;

  it("are exact up to the largest that a balance can hold, and refused above", () => {
    const buys = Array.from({ length: 10 }, () => order({ price: 100, quantity: HUGE }));
    const sells = Array.from({ length: 5 }, () =>
      order({ kind: "market", side: "sell", price: 0, quantity: 1 }),
    );
    const offers = Array.from({ length: 10 }, (_, i) => makerOrder("sell", 100 + i, HUGE));
    const bids = makerOrder("buy", 1, 100);
    const { engine, results } = run([
      ...offers.slice(0, 8),
      bids,
      ...buys.slice(0, 8),
      ...sells,
      ...offers.slice(8),
      ...buys.slice(8),
    ]);
    const { free, held } = engine.holdings("alice");
    const sold = results.trades.filter(({ seller }) => seller === "alice");
    const bought = results.trades.filter(({ buyer }) => buyer === "alice");
    const sum = (trades: typeof sold) => trades.reduce((total, { quantity }) => total + BigInt(quantity), 0n);
    expect(BigInt(free) + BigInt(held)).toBe(sum(bought) - sum(sold));
    expect(results.rejects.map(({ reason }) => reason)).toContain("sum_too_large");
    expect(() => engine.snapshot()).not.toThrow();
  });

  it("of one side of the book are refused above the largest exact number", () => {
    const offers = Array.from({ length: 12 }, (_, i) => makerOrder("buy", 50, HUGE + i));
    const accounts = offers.map((offer, i) => ({ ...offer, accountId: `a${i}` }));
    const { results, engine } = run(accounts);
    expect(results.rejects).toHaveLength(3);
    expect(engine.top().bid).toEqual({ price: 50, quantity: 9 * HUGE + 36, orders: 9 });
  });
});

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

  it("refuses another order under a used id, and bytes that are no order", () => {
    const resting = order({});
    const { engine, results } = run([resting, { ...resting, quantity: 11 }]);
    engine.apply(3, { stamp: stampOf(3), order: null }, results);
    expect(results.rejects.map(({ reason }) => reason)).toEqual(["duplicate_order", "malformed"]);
  });

  it("counts orders at or below their predecessor's stamp", () => {
    const engine = newEngine();
    const results = newResults();
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
    expect(restore(engine.snapshot()).top()).toEqual(top);
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
        const table = new OutcomeTable();
        const first = table.run(orders.slice(0, cut), newEngine());
        const second = table.run(orders.slice(cut), restore(first.engine.snapshot()));
        expect([...first.results.trades, ...second.results.trades]).toEqual(whole.results.trades);
        expect([...first.results.rejects, ...second.results.rejects]).toEqual(whole.results.rejects);
        expect(second.engine.totals).toEqual(whole.engine.totals);
        expect(table.rows).toEqual(new OutcomeTable().runAll(orders));
        // After a crash: the same orders are read again, and what is stored is ahead of them.
        const again = table.run(orders.slice(cut), restore(first.engine.snapshot()));
        expect(again.results.trades).toEqual(second.results.trades);
        expect(again.results.rejects).toEqual(second.results.rejects);
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
