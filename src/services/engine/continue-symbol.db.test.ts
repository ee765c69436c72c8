import { afterAll, beforeAll, expect, it } from "vitest";
import { RedisOrderedOutput } from "../../aggregate/ordered-output";
import { BookStatusStore } from "../../engine/book-status-store";
import { rebuildEngine } from "../../engine/rebuild-engine";
import { packOrder } from "../../store/codec/order-payload";
import { encodeFrame } from "../../store/codec/ordered-frame";
import { anOrder, LOG, OrderFixture } from "../../testing/order-fixture";
import { byOperator } from "../../testing/rollout-state";
import { waitFor } from "../../testing/wait-for";
import { listDeadLetters } from "../orders/list-dead-letters";
import { continueSymbol, previewContinuation } from "./continue-symbol";

let fixture: OrderFixture;
beforeAll(async () => {
  fixture = await OrderFixture.start({ shards: 2 });
});
afterAll(() => fixture.stop());

const deps = () => ({
  pool: fixture.database.pool,
  prisma: fixture.database.prisma,
  redis: fixture.redis,
  log: LOG,
});
const submit = async (orders: Parameters<typeof anOrder>[0][]) => {
  await (await fixture.producer().submit(orders.map(anOrder))).durable;
};
/** Orders that trade with each other, rest, and are cancelled, of a symbol. */
const market = (symbol: string) => [
  { symbol, accountId: "mm", orderId: `${symbol}-s1`, side: "sell" as const, price: 10, quantity: 50 },
  { symbol, accountId: "amy", orderId: `${symbol}-b1`, price: 10, quantity: 20 },
  { symbol, accountId: "amy", orderId: `${symbol}-b2`, price: 9, quantity: 5 },
  { symbol, accountId: "bob", orderId: `${symbol}-b3`, price: 8, quantity: 7 },
  {
    symbol,
    accountId: "amy",
    orderId: `${symbol}-b2`,
    kind: "cancel" as const,
    side: null,
    price: 0,
    quantity: 0,
  },
  { symbol, accountId: "bob", orderId: `${symbol}-s2`, side: "sell" as const, price: 9, quantity: 1 },
  { symbol, accountId: "amy", orderId: `${symbol}-m1`, kind: "market" as const, price: 0, quantity: 4 },
];
const engineEnv = { ENGINE_CREDIT_ACCOUNTS: "mm" };
const problemOf = async (symbol: string) =>
  (await new BookStatusStore(fixture.redis, LOG).read()).problems.get(symbol);
const paused = (symbol: string) =>
  waitFor(`the pause of ${symbol}`, async () => (await problemOf(symbol)) !== undefined, 30_000);
const continued = async (symbol: string) => {
  const { position } = await previewContinuation(deps(), symbol);
  return continueSymbol(deps(), byOperator("olivia"), {
    symbol,
    expectedPosition: position,
    reason: "Redis was emptied",
  });
};

it("rebuilds an engine from its results, also without a snapshot", async () => {
  const [aggregator, engine] = [
    fixture.aggregator(),
    fixture.engine({ ...engineEnv, ENGINE_SNAPSHOT_MS: "600000" }),
  ];
  await submit(market("ADA"));
  await fixture.matched("ADA", 7);
  const rebuilt = (await rebuildEngine(fixture.database.pool, "ADA"))!;
  expect(rebuilt.engine.position).toBe(7);
  expect(rebuilt.engine.holdings("amy")).toEqual({ free: 24, held: 0 });
  expect(rebuilt.engine.top()).toMatchObject({
    bid: { price: 8, quantity: 7 },
    ask: { price: 10, quantity: 26 },
  });
  expect(() => rebuilt.engine.snapshot()).not.toThrow();
  await Promise.all([engine.stop(), aggregator.stop()]);
});

it("a symbol continues after Redis was emptied, with its book and the orders of since then", async () => {
  const [aggregator, engine] = [
    fixture.aggregator(),
    fixture.engine({ ...engineEnv, ENGINE_SNAPSHOT_MS: "600000" }),
  ];
  await submit(market("BTC"));
  await fixture.matched("BTC", 7);
  await expect(previewContinuation(deps(), "BTC")).rejects.toThrow("BTC is not paused.");
  await fixture.redis.flushall();
  await waitFor("the shards", async () => (await fixture.log.readMap().catch(() => null)) !== null);
  await submit([{ symbol: "BTC", accountId: "cid", orderId: "after", price: 10, quantity: 26 }]);
  await paused("BTC");
  await waitFor("the order", async () => (await previewContinuation(deps(), "BTC")).next === 1, 15_000);
  const shown = await continued("BTC");
  expect(shown).toMatchObject({ position: 7, next: 1, repeats: 0, late: 0 });
  await fixture.matched("BTC", 8, 45_000);
  const { rows } = await fixture.database.pool.query(
    "SELECT position::int, filled::int FROM engine_orders WHERE order_id = 'after'",
  );
  expect(rows).toEqual([{ position: 8, filled: 26 }]);
  // And on it goes.
  await submit([{ symbol: "BTC", accountId: "cid", orderId: "later", price: 1, quantity: 1 }]);
  await fixture.matched("BTC", 9);
  await waitFor("a status without the problem", async () => (await problemOf("BTC")) === undefined);
  expect(await fixture.totals("BTC")).toMatchObject({ orders: 9, violations: 0 });
  await Promise.all([engine.stop(), aggregator.stop()]);
}, 120_000);

it("a symbol continues after Redis came back older: repeats are left out, and nothing is matched twice", async () => {
  const [aggregator, engine] = [fixture.aggregator(), fixture.engine(engineEnv)];
  await submit(market("SOL"));
  await fixture.matched("SOL", 7);
  await fixture.server.ask("SAVE");
  await submit([{ symbol: "SOL", accountId: "cid", orderId: "lost", price: 7, quantity: 1 }]);
  await fixture.matched("SOL", 8);
  await fixture.server.kill();
  await fixture.server.run();
  await waitFor("the connection", async () => (await fixture.redis.ping().catch(() => "")) === "PONG");
  await submit([{ symbol: "SOL", accountId: "cid", orderId: "newer", price: 10, quantity: 26 }]);
  await paused("SOL");
  await waitFor("the order", async () => (await previewContinuation(deps(), "SOL")).next === 1, 15_000);
  const wrong = { symbol: "SOL", expectedPosition: 3, reason: "a test" };
  await expect(continueSymbol(deps(), byOperator("olivia"), wrong)).rejects.toThrow("has changed");
  expect(await continued("SOL")).toMatchObject({ position: 8, next: 1, repeats: 7, late: 0 });
  await fixture.matched("SOL", 9, 45_000);
  const { rows } = await fixture.database.pool.query(
    "SELECT order_id, position::int, filled::int FROM engine_orders WHERE symbol = 'SOL' AND position > 7 ORDER BY position",
  );
  expect(rows).toEqual([
    { order_id: "lost", position: 8, filled: 0 },
    { order_id: "newer", position: 9, filled: 26 },
  ]);
  expect(await fixture.totals("SOL")).toMatchObject({ orders: 9, violations: 0 });
  await Promise.all([engine.stop(), aggregator.stop()]);
}, 120_000);

it("an order that came too late becomes a dead letter, once, and its frame is cut", async () => {
  const aggregator = fixture.aggregator();
  const engine = fixture.engine(engineEnv);
  await submit(market("XRP"));
  await fixture.matched("XRP", 7);
  await aggregator.stop();
  const { last } = (await rebuildEngine(fixture.database.pool, "XRP"))!;
  await fixture.redis.flushall();
  const xrp = { symbol: "XRP", price: 1, quantity: 1 };
  const orders = [
    anOrder(market("XRP")[1]),
    anOrder({ ...xrp, orderId: "too-late" }),
    anOrder({ ...xrp, orderId: "in-time" }),
  ];
  const payloads = orders.map(packOrder);
  const ends = payloads.map((_, i) => Buffer.concat(payloads.slice(0, i + 1)).length);
  const newest = { ...last, timeUs: last.timeUs + 1 };
  const run = {
    symbol: "XRP",
    count: 3,
    producer: last.producer,
    timesUs: Float64Array.of(last.timeUs - 2, last.timeUs - 1, newest.timeUs),
    sequences: Float64Array.of(last.sequence, last.sequence, last.sequence),
    bytes: Buffer.concat(payloads),
    offsets: Uint32Array.of(0, ...ends),
  };
  const bytes = encodeFrame(1, [{ run, from: 0, to: 3 }]);
  const head = { position: 3, last: newest, frontier: new Map() };
  const frames = [{ lastPosition: 3, bytes }];
  await new RedisOrderedOutput(fixture.redis, LOG).write({
    symbol: "XRP",
    epoch: 1,
    before: 0,
    head,
    frames,
  });
  await paused("XRP");
  expect(await continued("XRP")).toMatchObject({ position: 7, next: 1, repeats: 1, late: 1 });
  await fixture.matched("XRP", 8, 45_000);
  const { rows } = await fixture.database.pool.query(
    "SELECT order_id, position::int FROM engine_orders WHERE symbol = 'XRP' AND order_id IN ('too-late', 'in-time')",
  );
  expect(rows).toEqual([{ order_id: "in-time", position: 8 }]);
  const letters = await listDeadLetters({ redis: fixture.redis, log: LOG, plans: fixture.plans }, 10);
  expect(letters).toMatchObject([
    { reason: "late", notReplayableReason: null, orders: [{ orderId: "too-late", symbol: "XRP" }] },
  ]);
  await engine.stop();
}, 120_000);
