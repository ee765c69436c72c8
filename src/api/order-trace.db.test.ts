import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shardOfKey } from "../domain/orders/hash-range";
import { UNREGISTERED_PRODUCERS } from "../domain/orders/order-stamp";
import { NO_LIMITS, RedisLog } from "../orders/redis-log";
import { aggregatorEnv, engineEnv } from "../process/order-env";
import { packOrder } from "../store/codec/order-payload";
import { UNGUARDED } from "../store/owner-guard";
import { createRedis, type RedisClient, redisIsReady } from "../store/redis";
import { encodeRows } from "../testing/encode-rows";
import { anOrder } from "../testing/order-fixture";
import { quietLog } from "../testing/quiet-log";
import { StaffFixture } from "../testing/staff";
import { waitFor } from "../testing/wait-for";
import { runAggregator } from "../workers/run-aggregator";
import { runEngine } from "../workers/run-engine";

let fixture: StaffFixture;
let redis: RedisClient;
let log: RedisLog;
let trader: { cookie: string };
let admin: { cookie: string };
const workers: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  fixture = await StaffFixture.start({ ORDER_LIMITS: "off" });
  redis = createRedis(
    { url: fixture.redis.url, connectionName: "test", commandTimeoutMs: 5_000, guard: UNGUARDED },
    () => {},
  );
  await redisIsReady(redis, 5_000);
  log = new RedisLog(redis, { log: "orders", limits: NO_LIMITS });
  await log.create(3);
  for (const role of ["trader", "viewer", "admin"] as const) await fixture.insert(role, `the-${role}`);
  trader = { cookie: await fixture.cookieOf("the-trader") };
  admin = { cookie: await fixture.cookieOf("the-admin") };
});
afterAll(async () => {
  for (const worker of workers) await worker.stop();
  redis.disconnect();
  await fixture.stop();
});

const workersEnv = () => ({
  DATABASE_URL: fixture.database.url,
  REDIS_URL: fixture.redis.url,
  ORDER_LIMITS: "off",
});

const ask = (orderId: string, more: object = {}, who: Record<string, string> = trader) =>
  fixture.ask("orders.trace", { accountId: "alice", orderId, ...more }, who);
const trace = async (orderId: string, more: object = {}) => (await ask(orderId, more)).json.result.data;

async function submit(change: object): Promise<void> {
  const order = {
    kind: "limit",
    symbol: "DOGE",
    side: "buy",
    price: "0.07",
    quantity: "10",
    accountId: "alice",
  };
  const answer = await fixture.call("orders.submit", { orders: [{ ...order, ...change }] }, admin);
  expect(answer.json.result.data.durable).toBe(true);
}

const DAY_US = 86_400_000_000;
const homeShard = async () => shardOfKey((await log.readMap()).open, "DOGE").id;

describe("an order's trace", () => {
  it("says that nothing is known, and what was not looked at", async () => {
    const nothing = await trace("o-0", { symbol: "DOGE" });
    expect(nothing).toMatchObject({
      isKnownHere: false,
      engine: null,
      log: { orders: [], isComplete: true },
    });
    expect(nothing.conclusion).toBe("Floodgate keeps nothing of this order.");
    expect((await trace("o-0")).conclusion).toContain("Give the symbol");
  });

  it("finds it in the log, and says that no aggregator reads it", async () => {
    await submit({ orderId: "o-1" });
    const inLog = await trace("o-1");
    const shardId = await homeShard();
    expect(inLog).toMatchObject({
      symbol: "DOGE",
      isKnownHere: true,
      route: { factor: 1, subKey: "DOGE", shardId },
      log: { orders: [{ kind: "limit", shardId, stamp: { producer: 1, sequence: 1 } }] },
      ordered: { orders: [], isComplete: true },
      engine: null,
    });
    expect(inLog.conclusion).toContain(`durable in shard ${shardId}`);
    expect(inLog.conclusion).toContain("No aggregator reads DOGE");
    // Of another account the id means nothing.
    const { json } = await fixture.ask("orders.trace", { accountId: "bob", orderId: "o-1" }, trader);
    expect(json.result.data.log.orders).toEqual([]);
  });

  it("finds it in order, and says how far its engine is behind", async () => {
    workers.unshift(runAggregator(aggregatorEnv.parse(workersEnv()), quietLog("aggregator")));
    await waitFor("the order to be in order", async () => (await trace("o-1")).ordered.orders.length > 0);
    const inOrder = await trace("o-1");
    expect(inOrder.ordered.orders).toMatchObject([{ position: 1, stamp: { producer: 1, sequence: 1 } }]);
    expect(inOrder.ordered.orders[0].orderedAt).toMatch(/^\d{4}-/);
    expect(inOrder.conclusion).toContain("It has position 1 and waits for the engine.");
    expect(inOrder.conclusion).toContain("Orders of DOGE that its engine has not matched: 1.");
  });

  it("tells what the engine made of it, with the times of the stages and its trades", async () => {
    const env = engineEnv.parse({ ...workersEnv(), ENGINE_CREDIT_ACCOUNTS: "maker" });
    workers.unshift(runEngine(env, quietLog("engine")));
    await waitFor("the order to be matched", async () => (await trace("o-1")).engine !== null);
    await submit({ orderId: "s-1", accountId: "maker", side: "sell", quantity: "4" });
    await waitFor("the trade", async () => (await trace("o-1")).engine.fills.length > 0);
    const matched = await trace("o-1");
    const { order, fills } = matched.engine;
    expect(order).toMatchObject({ state: "partly_filled", position: 1, filled: "4", stamp: { producer: 1 } });
    expect(fills).toMatchObject([
      { position: 2, as: "maker", otherAccount: "maker", price: "0.07", quantity: "4" },
    ]);
    const times = [order.stamp.at, order.orderedAt, order.storedAt].map(at => Date.parse(at));
    expect(times.every(Number.isFinite)).toBe(true);
    expect(times[1]).toBeGreaterThanOrEqual(Math.floor(times[0]!));
    expect(matched.conclusion).toBe("It is in the book since position 1: 4 of 10 bought.");
    await submit({ orderId: "o-1", kind: "cancel", side: undefined, price: undefined, quantity: undefined });
    await waitFor("the cancel", async () => (await trace("o-1")).engine.order.state === "cancelled");
    expect((await trace("o-1")).engine.order.cancelledPosition).toBe(3);
  });

  it("tells a refused order, another order with its id, and a cancel of nothing", async () => {
    await submit({ orderId: "o-2", side: "sell" });
    await waitFor("the refusal", async () => (await trace("o-2")).engine !== null);
    expect((await trace("o-2")).conclusion).toContain("refused it at position 4: insufficient_balance");
    await submit({ orderId: "o-1", quantity: "99" });
    await submit({ orderId: "o-3", kind: "cancel", side: undefined, price: undefined, quantity: undefined });
    await waitFor("both", async () => (await trace("o-3", { symbol: "DOGE" })).engine !== null);
    expect((await trace("o-3", { symbol: "DOGE" })).conclusion).toContain("unknown_order");
    expect((await trace("o-1")).engine.rejects).toEqual([{ position: 5, reason: "duplicate_order" }]);
  });

  it("finds it among the dead letters, and who replayed it", async () => {
    const lost = anOrder({ orderId: "o-late", accountId: "alice" });
    const rows = [{ timeUs: Date.now() * 1_000 - DAY_US, sequence: 1, payload: packOrder(lost) }];
    const producer = UNREGISTERED_PRODUCERS + 1;
    const data = encodeRows(producer, "DOGE", rows);
    await log.append({
      shardId: await homeShard(),
      producer,
      firstNumber: 1,
      records: [{ partitionKey: "DOGE", data }],
    });
    await waitFor("the dead letter", async () => (await trace("o-late")).deadLetters.orders.length > 0);
    const dead = await trace("o-late");
    expect(dead.deadLetters.orders).toMatchObject([{ symbol: "DOGE", stamp: { producer }, replay: null }]);
    expect(dead.conclusion).toContain("became a dead letter");
    expect(dead.conclusion).toContain("It was not replayed.");
    const { id, reason } = dead.deadLetters.orders[0];
    expect(["late", "unclear"]).toContain(reason);
    if (reason !== "late") return;
    await fixture.call("orders.replay", { id, reason: "the client asked for it" }, trader);
    await waitFor("the replay to be matched", async () => (await trace("o-late")).engine !== null);
    const replayed = await trace("o-late");
    expect(replayed.engine.order.state).toBe("resting");
    expect(replayed.deadLetters.orders[0].replay).toBe("Replayed by the-trader.");
  });

  it("is for traders, operators and administrators, and a token sees its own accounts", async () => {
    expect((await ask("o-1", {}, { cookie: await fixture.cookieOf("the-viewer") })).status).toBe(403);
    const { json } = await fixture.call(
      "token.create",
      { name: "bobs", scopes: ["orders.submit", "orders.trace"], accounts: ["bob"] },
      admin,
    );
    const bob = { authorization: `Bearer ${json.result.data.secret}` };
    expect((await ask("o-1", {}, bob)).status).toBe(403);
    expect((await fixture.ask("orders.trace", { accountId: "bob", orderId: "o-1" }, bob)).status).toBe(200);
  });
});
