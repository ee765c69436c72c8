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
import { auditRows, insertToken, StaffFixture } from "../testing/staff";
import { waitFor } from "../testing/wait-for";
import { runAggregator } from "../workers/run-aggregator";
import { runEngine } from "../workers/run-engine";

let fixture: StaffFixture;
let redis: RedisClient;
let log: RedisLog;
let workers: { stop(): Promise<void> }[];
let trader: { cookie: string };

beforeAll(async () => {
  fixture = await StaffFixture.start({ ORDER_LIMITS: "off" });
  redis = createRedis(
    { url: fixture.redis.url, connectionName: "test", commandTimeoutMs: 5_000, guard: UNGUARDED },
    () => {},
  );
  await redisIsReady(redis, 5_000);
  log = new RedisLog(redis, { log: "orders", limits: NO_LIMITS });
  await log.create(2);
  const env = { DATABASE_URL: fixture.database.url, REDIS_URL: fixture.redis.url, ORDER_LIMITS: "off" };
  workers = [
    runAggregator(aggregatorEnv.parse(env), quietLog("aggregator")),
    runEngine(engineEnv.parse(env), quietLog("engine")),
  ];
  await fixture.insert("trader", "tess");
  await fixture.insert("viewer", "vic");
  trader = { cookie: await fixture.cookieOf("tess") };
});
afterAll(async () => {
  await Promise.all(workers.map(worker => worker.stop()));
  redis.disconnect();
  await fixture.stop();
});

type Row = {
  id: string;
  reason: string;
  orderCount: number;
  orders: Record<string, unknown>[];
  notReplayableReason: string | null;
  replayedBy: string | null;
};
const rows = async (): Promise<Row[]> =>
  (await fixture.ask("orders.deadLetters", { limit: 50 }, trader)).json.result.data.rows;
const rowOf = async (reason: string) => (await rows()).find(row => row.reason === reason)!;
const replayDeadLetter = (id: string, who: Record<string, string> = trader) =>
  fixture.call("orders.replay", { id, reason: "the client asked for it" }, who);
const totals = async () =>
  (
    await fixture.database.pool.query(
      "SELECT orders::int, violations::int FROM engine_states WHERE symbol = 'DOGE'",
    )
  ).rows[0];

const DAY_US = 86_400_000_000;
let number = 0;

/** Appends as an unregistered producer. */
async function append(...data: Buffer[]): Promise<void> {
  const shardId = shardOfKey((await log.readMap()).open, "DOGE").id;
  const records = data.map(bytes => ({ partitionKey: "DOGE", data: bytes }));
  await log.append({ shardId, producer: UNREGISTERED_PRODUCERS + 1, firstNumber: number + 1, records });
  number += data.length;
}

describe("order dead letters", () => {
  it("show their orders and whether they can be replayed", async () => {
    const nowUs = Date.now() * 1_000;
    const row = (change: object, timeUs: number, sequence = 1) => ({
      timeUs,
      sequence,
      payload: packOrder(anOrder(change)),
    });
    await append(encodeRows(UNREGISTERED_PRODUCERS + 1, "DOGE", [row({ accountId: "first" }, nowUs)]));
    await waitFor("the first order", async () => (await totals())?.orders === 1);
    await append(
      Buffer.from("poison"),
      encodeRows(UNREGISTERED_PRODUCERS + 1, "NOPE", [row({ symbol: "NOPE" }, nowUs)]),
      encodeRows(UNREGISTERED_PRODUCERS + 1, "DOGE", [
        row({ accountId: "bob", price: 7_010 }, nowUs - DAY_US),
      ]),
      encodeRows(UNREGISTERED_PRODUCERS + 1, "DOGE", [
        row({}, nowUs + DAY_US, 2),
        row({}, nowUs + DAY_US, 3),
      ]),
    );
    await waitFor("four events", async () => (await rows()).length === 4);
    expect(await rowOf("malformed")).toMatchObject({
      orderCount: 0,
      notReplayableReason: "Its bytes could not be read as orders.",
    });
    expect((await rowOf("unknown_symbol")).notReplayableReason).toBe("There is no symbol “NOPE”.");
    expect(await rowOf("late")).toMatchObject({
      orderCount: 1,
      notReplayableReason: null,
      replayedBy: null,
      orders: [
        { kind: "limit", side: "buy", symbol: "DOGE", accountId: "bob", price: "0.0701", quantity: "1" },
      ],
    });
    expect(await rowOf("time_ahead")).toMatchObject({ orderCount: 2, notReplayableReason: null });
  });

  it("are not replayed by a token that may not use their accounts", async () => {
    const { id } = await rowOf("late");
    const tokens: Parameters<typeof insertToken>[1][] = [
      { name: "bound", scopes: ["orders.submit", "orders.replay"], accounts: ["alice", "first"] },
      { name: "without accounts", scopes: ["orders.replay"] },
    ];
    for (const token of tokens) {
      const secret = await insertToken(fixture.database.prisma, token);
      const refused = await replayDeadLetter(id, { authorization: `Bearer ${secret}` });
      expect(refused.status).toBe(403);
      expect(refused.json.error.message).toContain("may not use the account bob");
    }
    expect((await rowOf("late")).replayedBy).toBeNull();
  });

  it("are replayed once, with new stamps, also when three requests come at once; the replay is audited", async () => {
    const late = await rowOf("late");
    const answers = await Promise.all([
      replayDeadLetter(late.id),
      replayDeadLetter(late.id),
      replayDeadLetter(late.id),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(answers.find(({ status }) => status === 200)!.json.result.data).toEqual({
      accepted: 1,
      durable: true,
    });
    await waitFor("the engine", async () => (await totals()).orders === 2);
    expect((await replayDeadLetter((await rowOf("time_ahead")).id)).status).toBe(200);
    await waitFor("the engine", async () => (await totals()).orders === 4);
    expect(await totals()).toEqual({ orders: 4, violations: 0 });
    expect((await rowOf("late")).replayedBy).toBe("tess");
    const audited = await auditRows(fixture.database.pool, `target = 'orders:${late.id}' AND outcome = 'ok'`);
    expect(audited).toHaveLength(1);
    expect(audited[0]).toMatchObject({
      actor_name: "tess",
      action: "orders.replay",
      reason: "the client asked for it",
      after: { replayed: 1 },
    });
  });

  it("are not replayed when they are malformed, unknown, or the role lacks the permission", async () => {
    expect((await replayDeadLetter((await rowOf("malformed")).id)).status).toBe(400);
    expect((await replayDeadLetter((await rowOf("unknown_symbol")).id)).json.error.message).toContain(
      "no symbol",
    );
    expect((await replayDeadLetter("1-1")).status).toBe(404);
    expect((await replayDeadLetter("last")).status).toBe(400);
    const viewer = { cookie: await fixture.cookieOf("vic") };
    expect((await replayDeadLetter((await rowOf("late")).id, viewer)).status).toBe(403);
  });
});
