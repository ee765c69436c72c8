import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { partitionOf } from "../../domain/orders/order-partition";
import { headKey } from "../../store/order-keys";
import { anOrder, LOG, MARKET_MAKER, OrderFixture } from "../../testing/order-fixture";
import { waitFor } from "../../testing/wait-for";
import { listEngines } from "./list-engines";
import { readEngine } from "./read-engine";

let fixture: OrderFixture;
let engine: { stop(): Promise<void> };
beforeAll(async () => {
  fixture = await OrderFixture.start();
  fixture.aggregator();
  engine = fixture.engine();
});
afterAll(() => fixture.stop());

const list = () => listEngines({ redis: fixture.redis, pool: fixture.database.pool, log: LOG });
const rowOf = async (symbol: string) => (await list()).find(row => row.symbol === symbol)!;
const read = (symbol: string) => readEngine(fixture.database.pool, symbol);
const sell = (price: number, quantity: number) =>
  anOrder({ accountId: MARKET_MAKER, side: "sell", price, quantity });
const buy = (price: number, quantity: number, accountId = "alice") => anOrder({ accountId, price, quantity });

describe("engines", () => {
  it("have an empty book, and nothing that they are behind, before the first order", async () => {
    await waitFor("the book to be shown", async () => (await rowOf("DOGE")).book !== null);
    expect(await rowOf("DOGE")).toMatchObject({
      priceDecimals: 5,
      quantityDecimals: 2,
      position: 0,
      behind: null,
      last: null,
      trades: 0,
      book: { bid: null, ask: null, bidLevels: 0, askLevels: 0 },
    });
    expect(await read("DOGE")).toEqual({ trades: [], rejects: [], causes: [], of: 0 });
  });

  it("show the top of the book, the trades with their times, and the rejects by cause", async () => {
    const sentMs = Date.now();
    const producer = fixture.producer();
    const orders = [
      sell(102, 500),
      sell(101, 300),
      buy(99, 700),
      buy(98, 100, "bob"),
      // Takes 300 at 101 and 50 at 102.
      buy(102, 350, "carol"),
      anOrder({ kind: "cancel", side: null, price: 0, quantity: 0, accountId: "bob", orderId: "never" }),
      anOrder({ side: "sell", accountId: "dave", quantity: 1 }),
      anOrder({ side: "sell", accountId: "erin", quantity: 1 }),
    ];
    await (await producer.submit(orders)).durable;
    await fixture.matched("DOGE", orders.length);
    await waitFor("the new book", async () => (await rowOf("DOGE")).book?.bid?.price === 99);
    const row = await rowOf("DOGE");
    expect(row).toMatchObject({
      position: 8,
      behind: 0,
      trades: 2,
      rejects: 3,
      violations: 0,
      book: {
        bid: { price: 99, quantity: 700, orders: 1 },
        bidLevels: 2,
        ask: { price: 102, quantity: 450, orders: 1 },
        askLevels: 1,
      },
      last: { price: 102, quantity: 50 },
    });
    expect(Math.abs(Date.parse(row.last!.at!) - sentMs)).toBeLessThan(30_000);
    const details = await read("DOGE");
    expect(details.trades).toMatchObject([
      { price: 102, quantity: 50, taker: "carol", maker: MARKET_MAKER, position: 5, number: 1 },
      { price: 101, quantity: 300, taker: "carol", maker: MARKET_MAKER, position: 5, number: 0 },
    ]);
    expect(details).toMatchObject({
      of: 8,
      causes: [
        { reason: "insufficient_balance", count: 2 },
        { reason: "unknown_order", count: 1 },
      ],
    });
    expect(details.rejects.map(({ accountId }) => accountId)).toEqual(["erin", "dave", "bob"]);
    await waitFor("their rate", async () => ((await rowOf("DOGE")).ordersPerSecond ?? 0) > 0);
  });

  it("that have died fall behind the aggregator's head, and their books are not known", async () => {
    await engine.stop();
    const producer = fixture.producer();
    await (await producer.submit([buy(97, 1), buy(96, 1), buy(95, 1)])).durable;
    await waitFor("the aggregator", async () => (await rowOf("DOGE")).behind === 3);
    const books = `orders:{${LOG}}:books`;
    const shown = JSON.parse((await fixture.redis.hget(books, "DOGE"))!) as { atMs: number };
    await fixture.redis.hset(books, "DOGE", JSON.stringify({ ...shown, atMs: shown.atMs - 60_000 }));
    expect(await rowOf("DOGE")).toMatchObject({ book: null, position: 8 });
    fixture.engine();
    await waitFor("the next engine", async () => (await rowOf("DOGE")).book?.bidLevels === 5);
    expect(await rowOf("DOGE")).toMatchObject({ behind: 0, position: 11 });
    const head = await fixture.redis.hget(headKey(LOG, partitionOf("DOGE"), "DOGE"), "position");
    expect(head).toBe("11");
  });

  it("of a symbol that is not there do not exist", async () => {
    await expect(read("NOPE")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});
