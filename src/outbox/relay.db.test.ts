import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deliverKeys } from "../filter/deliver";
import { createEngines, type Engines } from "../filter/detect-engine";
import { liveVersions } from "../filter/versions";
import type { RedisClient } from "../store/redis";
import { connect } from "../testing/engine-contract";
import { makeVersion, namesNotIn } from "../testing/filter-state";
import { insertEvent, outboxEvents, pendingEvents, skipRetryWaits } from "../testing/outbox-events";
import {
  createTestDatabase,
  insertUserBySql,
  insertUsersBySql,
  type TestDatabase,
} from "../testing/test-database";
import { TestRedis } from "../testing/test-redis";
import { waitFor } from "../testing/wait-for";
import { claim } from "./claim";
import { type BatchResult, type Deliver, type RelayOptions, relayOnce } from "./relay";

let database: TestDatabase;
let server: TestRedis;
let redis: RedisClient;
let engines: Engines;

beforeAll(async () => {
  [database, server] = await Promise.all([createTestDatabase(), TestRedis.start()]);
  redis = await connect(server.url);
  engines = createEngines(redis);
});
afterAll(async () => {
  redis.disconnect();
  await Promise.all([database.drop(), server.remove()]);
});
beforeEach(async () => {
  await database.pool.query("TRUNCATE users, outbox, filter_versions CASCADE");
  await redis.flushall();
});

const toFilter: Deliver = async keys => deliverKeys(engines, await liveVersions(database.pool), keys);
const added: Deliver = async keys => keys.map(() => "added");
const refused: Deliver = async keys => keys.map(() => ({ error: "Connection is closed." }));

function relay(overrides: Partial<RelayOptions> = {}): Promise<BatchResult> {
  return relayOnce({
    pool: database.pool,
    deliver: toFilter,
    relay: "relay",
    batchSize: 100,
    leaseMs: 600_000,
    maxDataErrors: 5,
    ...overrides,
  });
}

/** Keys by the state that their events are in. */
async function keysIn(state: "pending" | "processed" | "dead"): Promise<unknown[]> {
  const events = await outboxEvents(database.pool);
  return events.filter(event => event.state === state).map(event => event.payload.key);
}

describe("the relay", () => {
  it("brings events into every live version", async () => {
    const version = await makeVersion(database.pool, engines.bitmap);
    await database.pool.query(
      `INSERT INTO filter_versions (version, engine, state, shard_capacity, error_rate)
       VALUES (2, 'bitmap', 'catching-up', 500, 0.001), (3, 'bitmap', 'retired', 500, 0.001)`,
    );
    const [, building] = await liveVersions(database.pool);
    for (let shard = 0; shard < 256; shard += 1) await engines.bitmap.reserve(building!, shard);
    const names = await insertUsersBySql(database.pool, "live", 50);
    expect(await relay()).toEqual({ claimed: 50, delivered: 50, failed: 0, dead: 0 });
    expect(await namesNotIn(engines.bitmap, version, names)).toEqual([]);
    for (let shard = 0; shard < 256; shard += 1) await engines.bitmap.seal(building!, shard);
    expect(await namesNotIn(engines.bitmap, building!, names)).toEqual([]);
    expect(await redis.keys("*:v3")).toEqual([]);
  });

  it("delivers a transaction that commits late with a lower seq", async () => {
    const version = await makeVersion(database.pool, engines.bitmap);
    const slow = await database.pool.connect();
    await slow.query("BEGIN");
    await insertUserBySql(slow, "slow");
    await insertUserBySql(database.pool, "quick");
    expect(await relay()).toMatchObject({ delivered: 1 });
    expect(await relay()).toMatchObject({ claimed: 0 });
    await slow.query("COMMIT");
    slow.release();
    expect(await relay()).toMatchObject({ delivered: 1 });
    expect(await namesNotIn(engines.bitmap, version, ["slow", "quick"])).toEqual([]);
  });

  it("takes a released name for done, and adds both names that a rename leaves", async () => {
    const version = await makeVersion(database.pool, engines.bitmap);
    await insertUserBySql(database.pool, "first");
    await database.pool.query("UPDATE users SET username_key = 'second'");
    await database.pool.query("DELETE FROM users");
    expect(await relay()).toEqual({ claimed: 3, delivered: 3, failed: 0, dead: 0 });
    expect(await namesNotIn(engines.bitmap, version, ["first", "second"])).toEqual([]);
  });
});

describe("relays that die", () => {
  it("leave nothing undelivered, and each row is counted once", async () => {
    const version = await makeVersion(database.pool, engines.bitmap);
    const names = await insertUsersBySql(database.pool, "two", 200);
    // One dies right after its claim, another between adding and marking.
    await claim(database.pool, { relay: "dies after claim", limit: 50, leaseMs: 400 });
    const dying = relay({
      relay: "dies after add",
      batchSize: 50,
      leaseMs: 400,
      deliver: async keys => {
        await toFilter(keys);
        throw new Error("killed");
      },
    });
    await expect(dying).rejects.toThrow("killed");

    let counted = 0;
    const work = async (name: string) => {
      const { delivered } = await relay({ relay: name, batchSize: 30, leaseMs: 60_000 });
      counted += delivered;
    };
    await waitFor("everything to be delivered", async () => {
      await Promise.all([work("one"), work("two")]);
      return (await pendingEvents(database.pool)) === 0;
    });
    expect(counted).toBe(200);
    expect(await namesNotIn(engines.bitmap, version, names)).toEqual([]);
    const events = await outboxEvents(database.pool);
    expect(events.filter(event => event.claimedBy !== null)).toEqual([]);
  });

  it("do not count a row that an heir delivered while they slept past their lease", async () => {
    await makeVersion(database.pool, engines.bitmap);
    await insertUsersBySql(database.pool, "slept", 10);
    let heirs = 0;
    const sleeper = await relay({
      relay: "sleeper",
      leaseMs: 100,
      deliver: async keys => {
        await waitFor("the heir to deliver", async () => {
          const { delivered } = await relay({ relay: "heir" });
          heirs += delivered;
          return heirs === 10;
        });
        return toFilter(keys);
      },
    });
    expect(sleeper).toMatchObject({ claimed: 10, delivered: 0 });
    expect(await keysIn("processed")).toHaveLength(10);
  });
});

describe("a batch of which only a part was taken", () => {
  it("marks rows 1 and 3 and keeps row 2, with the reason", async () => {
    const [one, two, three] = await insertUsersBySql(database.pool, "part", 3);
    const result = await relay({
      deliver: async () => [
        "added",
        { error: "READONLY You can't write against a read only replica." },
        "added",
      ],
    });
    expect(result).toEqual({ claimed: 3, delivered: 2, failed: 1, dead: 0 });
    expect(await keysIn("processed")).toEqual([one, three]);
    const [kept] = (await outboxEvents(database.pool)).filter(event => event.state === "pending");
    expect(kept).toMatchObject({
      payload: { key: two },
      attempts: 1,
      dataErrors: 0,
      claimedBy: null,
      lastError: "READONLY You can't write against a read only replica.",
    });
    await skipRetryWaits(database.pool);
    expect(await relay({ deliver: added })).toMatchObject({ delivered: 1 });
  });

  it("never takes a missing outcome for a success", async () => {
    const names = await insertUsersBySql(database.pool, "short", 4);
    await relay({ deliver: async () => ["added", "added"] });
    expect(await keysIn("processed")).toEqual(names.slice(0, 2));
    expect(await keysIn("pending")).toEqual(names.slice(2));
  });

  it("keeps the names of a lost shard until it is there again, and never makes the shard itself", async () => {
    const version = await makeVersion(database.pool, engines.bitmap);
    await redis.flushall();
    await insertUsersBySql(database.pool, "flushed", 20);
    await expect(relay()).rejects.toThrow(/no event of 20 could be delivered.*not found/);
    expect(await redis.dbsize()).toBe(0);
    expect(await keysIn("pending")).toHaveLength(20);
    for (let shard = 0; shard < 256; shard += 1) await engines.bitmap.reserve(version, shard);
    await skipRetryWaits(database.pool);
    expect(await relay()).toMatchObject({ delivered: 20 });
  });

  it("is not done for a key while one of two versions lacks it", async () => {
    await makeVersion(database.pool, engines.bitmap);
    await database.pool.query(
      `INSERT INTO filter_versions (version, engine, state, shard_capacity, error_rate)
       VALUES (2, 'bitmap', 'catching-up', 500, 0.001)`,
    );
    await insertUserBySql(database.pool, "half");
    await expect(relay()).rejects.toThrow(/not found/);
    expect(await keysIn("pending")).toEqual(["half"]);
  });
});

describe("rows that make no sense", () => {
  const key = (value: unknown) => ({ v: 1, key: value });
  const POISON: [string, string, unknown, RegExp][] = [
    ["an unknown payload version", "username.claimed", { v: 2, key: "a" }, /payload\.v/],
    ["an unknown type", "username.exploded", key("a"), /type/],
    ["a missing key", "username.claimed", { v: 1 }, /payload\.key/],
    ["a key that is no text", "username.claimed", key(7), /payload\.key/],
    ["an empty key", "username.claimed", key(""), /payload\.key/],
    ["a key of 9,000 bytes", "username.claimed", key("x".repeat(9_000)), /payload\.key/],
    ["a key of 129 bytes", "username.claimed", key("x".repeat(129)), /payload\.key/],
    ["a rename without its old name", "username.renamed", key("a"), /payload\.previousKey/],
    ["null", "username.claimed", null, /payload/],
    ["a list", "username.claimed", [1, 2], /payload/],
    ["a bare text", "username.claimed", "alice", /payload/],
    ["a deep object", "username.claimed", key({ key: { key: "a" } }), /payload\.key/],
  ];

  it.each(POISON)("are set aside after five tries: %s", async (_, type, payload, reason) => {
    await insertEvent(database.pool, type, payload);
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await skipRetryWaits(database.pool);
      expect(await relay()).toMatchObject({ claimed: 1, failed: 1, dead: attempt === 5 ? 1 : 0 });
    }
    const events = await outboxEvents(database.pool);
    expect(events).toMatchObject([{ state: "dead", dataErrors: 5, attempts: 5, claimedBy: null }]);
    expect(events[0]!.lastError).toMatch(reason);
    await skipRetryWaits(database.pool);
    expect(await relay()).toMatchObject({ claimed: 0 });
  });

  it.each([
    ["a NUL", '{"v": 1, "key": "bob\\u0000"}'],
    ["a lone surrogate", '{"v": 1, "key": "\\ud83d"}'],
    ["half a JSON", '{"v": 1, "key": '],
  ])("cannot even be written: %s", async (_, payload) => {
    const insert = database.pool.query(
      "INSERT INTO outbox (aggregatetype, aggregateid, type, payload) VALUES ('username', 'x', 'username.claimed', $1)",
      [payload],
    );
    await expect(insert).rejects.toThrow();
  });

  it("do not hold up good rows behind them for more than a cycle", async () => {
    const version = await makeVersion(database.pool, engines.bitmap);
    for (let i = 0; i < 10; i += 1)
      await insertEvent(database.pool, "username.claimed", { v: 99, key: `p${i}` });
    const names = await insertUsersBySql(database.pool, "good", 5);
    expect(await relay({ batchSize: 10 })).toMatchObject({ claimed: 10, failed: 10 });
    expect(await relay({ batchSize: 10 })).toMatchObject({ delivered: 5 });
    expect(await namesNotIn(engines.bitmap, version, names)).toEqual([]);
  });

  it("do not keep good rows of the same batch from being delivered", async () => {
    await makeVersion(database.pool, engines.bitmap);
    await insertEvent(database.pool, "username.claimed", { v: 99 });
    await insertUsersBySql(database.pool, "beside", 3);
    expect(await relay()).toEqual({ claimed: 4, delivered: 3, failed: 1, dead: 0 });
  });

  it("do not look like an outage: a batch of nothing else is no error", async () => {
    await insertEvent(database.pool, "username.claimed", { v: 99 });
    expect(await relay({ deliver: refused })).toMatchObject({ failed: 1 });
  });
});

describe("an outage", () => {
  it("never makes a dead letter, however long it lasts, and its retries stay frequent", async () => {
    const names = await insertUsersBySql(database.pool, "outage", 3);
    for (let attempt = 0; attempt < 40; attempt += 1) {
      await skipRetryWaits(database.pool);
      await expect(relay({ deliver: refused })).rejects.toThrow(/no event of 3 could be delivered/);
    }
    const { rows } = await database.pool.query(
      "SELECT max(next_attempt_at) <= clock_timestamp() + interval '10 s' AS soon FROM outbox",
    );
    expect(rows).toEqual([{ soon: true }]);
    for (const event of await outboxEvents(database.pool)) {
      expect(event).toMatchObject({ state: "pending", dataErrors: 0, attempts: 40 });
    }
    const version = await makeVersion(database.pool, engines.bitmap);
    await skipRetryWaits(database.pool);
    expect(await relay()).toMatchObject({ delivered: 3 });
    expect(await namesNotIn(engines.bitmap, version, names)).toEqual([]);
  });

  it("with the real Redis gone keeps every row, and delivers when it is back", async () => {
    const own = await TestRedis.start(["--appendonly", "yes"]);
    const client = await connect(own.url, 300);
    const bitmap = createEngines(client).bitmap;
    const version = await makeVersion(database.pool, bitmap);
    const deliver: Deliver = keys => deliverKeys({ ...engines, bitmap }, [version], keys);
    const names = await insertUsersBySql(database.pool, "gone", 40);
    await own.kill();
    await expect(relay({ deliver })).rejects.toThrow(/no event of 40/);
    await own.run();
    await waitFor("all to be delivered", async () => {
      await skipRetryWaits(database.pool);
      await relay({ deliver }).catch(() => {});
      return (await pendingEvents(database.pool)) === 0;
    });
    expect(await namesNotIn(bitmap, version, names)).toEqual([]);
    client.disconnect();
    await own.remove();
  });
});
