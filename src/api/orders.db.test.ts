import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NO_LIMITS, RedisLog } from "../orders/redis-log";
import { aggregatorEnv, engineEnv } from "../process/order-env";
import { UNGUARDED } from "../store/owner-guard";
import { createRedis, type RedisClient, redisIsReady } from "../store/redis";
import { quietLog } from "../testing/quiet-log";
import { auditRows, insertToken, StaffFixture } from "../testing/staff";
import { waitFor } from "../testing/wait-for";
import { runAggregator } from "../workers/run-aggregator";
import { runEngine } from "../workers/run-engine";

let fixture: StaffFixture;
let redis: RedisClient;
let workers: { stop(): Promise<void> }[];
let token: { authorization: string };
let trader: { cookie: string };

beforeAll(async () => {
  fixture = await StaffFixture.start({ ORDER_LIMITS: "off", ORDERS_PER_SECOND: 600 });
  redis = createRedis(
    { url: fixture.redis.url, connectionName: "test", commandTimeoutMs: 5_000, guard: UNGUARDED },
    () => {},
  );
  await redisIsReady(redis, 5_000);
  await new RedisLog(redis, { log: "orders", limits: NO_LIMITS }).create(5);
  const env = { DATABASE_URL: fixture.database.url, REDIS_URL: fixture.redis.url };
  workers = [
    runAggregator(aggregatorEnv.parse({ ...env, ORDER_LIMITS: "off" }), quietLog("aggregator")),
    runEngine(engineEnv.parse(env), quietLog("engine")),
  ];
  const secret = await insertToken(fixture.database.prisma, { scopes: ["orders.submit", "orders.view"] });
  token = { authorization: `Bearer ${secret}` };
  await fixture.insert("trader", "tess");
  trader = { cookie: await fixture.cookieOf("tess") };
});
afterAll(async () => {
  await Promise.all(workers.map(worker => worker.stop()));
  redis.disconnect();
  await fixture.stop();
});

let serial = 0;
const order = (change: object = {}) => {
  serial += 1;
  const base = { kind: "limit", symbol: "DOGE", orderId: `o${serial}`, accountId: "alice", side: "buy" };
  return { ...base, price: "0.07", quantity: "10", ...change };
};
const submit = (orders: object[], more: object = {}) =>
  fixture.call("orders.submit", { orders, ...more }, token);
const positionOf = async (symbol: string): Promise<number> => {
  const status = (await fixture.ask("orders.status", undefined, token)).json.result.data;
  return status.engines.find((engine: { symbol: string }) => engine.symbol === symbol)?.position ?? 0;
};

describe("orders.submit", () => {
  it("answers when the orders are durable, and the engine reads them", async () => {
    const answer = await submit([order(), order({ side: "buy" }), order({ kind: "market" })]);
    expect(answer.json.result.data).toEqual({ accepted: 3, durable: true });
    await waitFor("the engine", async () => (await positionOf("DOGE")) === 3);
    const buffered = await submit([order()], { waitForDurable: false });
    expect(buffered.json.result.data).toEqual({ accepted: 1, durable: false });
    await waitFor("the engine", async () => (await positionOf("DOGE")) === 4);
  });

  it.each([
    ["an unknown symbol", { symbol: "NOPE" }, "Order 2: There is no symbol “NOPE”."],
    ["a negative quantity", { quantity: "-1" }, "Order 2: The quantity “-1” is not a positive decimal"],
    ["a quantity of 40 digits", { quantity: "1".repeat(40) }, "Order 2: The quantity"],
  ])("refuses the whole batch with %s and names the order", async (_, change, message) => {
    const before = await positionOf("DOGE");
    const answer = await submit([order(), order(change)]);
    expect(answer.status).toBe(400);
    expect(answer.json.error.message).toContain(message);
    await submit([order()]);
    await waitFor("the next order", async () => (await positionOf("DOGE")) === before + 1);
  });

  it("refuses batches that are too large, and clients over their quota with retryAfterMs", async () => {
    expect((await submit(Array.from({ length: 251 }, () => order()))).status).toBe(400);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        submit(
          Array.from({ length: 200 }, () => order()),
          { waitForDurable: false },
        ),
      ),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]!.json.error.data.details.retryAfterMs).toBeGreaterThan(0);
    // A used-up quota is not audited.
    expect(
      await auditRows(fixture.database.pool, "action = 'orders.submit' AND reason LIKE 'Too many%'"),
    ).toEqual([]);
  });

  it("is refused to a trader and without a session", async () => {
    expect((await fixture.call("orders.submit", { orders: [order()] }, trader)).status).toBe(403);
    expect((await fixture.call("orders.submit", { orders: [order()] })).status).toBe(401);
  });
});

describe("symbol.split", () => {
  const split = (change: object) =>
    fixture.call(
      "symbol.split",
      { symbol: "BTC", factor: 5, expectedEpoch: 0, reason: "a tweet", ...change },
      trader,
    );
  const symbols = async () => {
    const { rows } = (await fixture.ask("symbol.list", undefined, trader)).json.result.data;
    return rows as { symbol: string; factor: number; epoch: number; distinctShards: number }[];
  };

  it("spreads a symbol over distinct shards, is audited with its reason, and takes effect at once", async () => {
    expect((await split({})).json.result.data).toEqual({ epoch: 1 });
    const btc = (await symbols()).find(({ symbol }) => symbol === "BTC");
    expect(btc).toMatchObject({ factor: 5, epoch: 1, distinctShards: 5 });
    const [row] = await auditRows(fixture.database.pool, "target = 'symbol:BTC'");
    expect(row).toMatchObject({
      actor_name: "tess",
      action: "symbol.split",
      outcome: "ok",
      reason: "a tweet",
      before: { factor: 1 },
      after: { factor: 5, epoch: 1 },
    });
    // The quota that was used up above lasts one second.
    await waitFor("the quota", async () => (await submit([order()])).status === 200);
    expect((await submit([order({ symbol: "BTC" })])).json.result.data.durable).toBe(true);
  });

  it("takes one of two simultaneous changes of a symbol", async () => {
    const both = await Promise.all([split({ symbol: "ETH" }), split({ symbol: "ETH", factor: 3 })]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await symbols()).find(({ symbol }) => symbol === "ETH")?.epoch).toBe(1);
  });

  it("refuses a stale epoch, the cooldown, too many shards and an unknown symbol", async () => {
    expect((await split({})).status).toBe(409);
    const soon = await split({ expectedEpoch: 1, factor: 2 });
    expect([soon.status, soon.json.error.data.details.retryAfterMs > 0]).toEqual([429, true]);
    const wide = await split({ symbol: "SOL", factor: 6 });
    expect([wide.status, wide.json.error.message]).toEqual([400, "Split by 1 to 5: there are 5 shards."]);
    expect((await split({ symbol: "NOPE" })).status).toBe(404);
  });
});
