import { describe, expect, it } from "vitest";
import { deliverKeys } from "../filter/deliver";
import { createEngines } from "../filter/detect-engine";
import { filterFixture } from "../testing/filter-fixture";
import { makeVersion, namesNotIn } from "../testing/filter-state";
import { insertEvent, outboxEvents, pendingEvents, skipRetryWaits } from "../testing/outbox-events";
import { insertUsersBySql } from "../testing/test-database";
import { connect, TestRedis } from "../testing/test-redis";
import { waitFor } from "../testing/wait-for";
import type { Deliver } from "./relay";

const fixture = filterFixture({ sharesDatabase: true });
const { relay } = fixture;
const refuse: Deliver = async keys => keys.map(() => ({ error: "Connection is closed." }));

describe("rows with a data error", () => {
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
    ["a plain text", "username.claimed", "alice", /payload/],
    ["a deep object", "username.claimed", key({ key: { key: "a" } }), /payload\.key/],
  ];

  it.each(POISON)("become dead letters after five attempts: %s", async (_, type, payload, reason) => {
    await insertEvent(fixture.pool, type, payload);
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await skipRetryWaits(fixture.pool);
      expect(await relay()).toMatchObject({ claimed: 1, failed: 1, dead: attempt === 5 ? 1 : 0 });
    }
    const events = await outboxEvents(fixture.pool);
    expect(events).toMatchObject([{ state: "dead", dataErrors: 5, attempts: 5, claimedBy: null }]);
    expect(events[0]!.lastError).toMatch(reason);
    await skipRetryWaits(fixture.pool);
    expect(await relay()).toMatchObject({ claimed: 0 });
  });

  it.each([
    ["a NUL", '{"v": 1, "key": "bob\\u0000"}'],
    ["a lone surrogate", '{"v": 1, "key": "\\ud83d"}'],
    ["half a JSON", '{"v": 1, "key": '],
  ])("can't be inserted: %s", async (_, payload) => {
    const insert = fixture.pool.query(
      "INSERT INTO outbox (aggregatetype, aggregateid, type, payload) VALUES ('username', 'x', 'username.claimed', $1)",
      [payload],
    );
    await expect(insert).rejects.toThrow();
  });

  it("delay the good rows after them for one batch at most", async () => {
    const version = await makeVersion(fixture.pool, fixture.bitmap);
    for (let i = 0; i < 10; i += 1)
      await insertEvent(fixture.pool, "username.claimed", { v: 99, key: `p${i}` });
    const names = await insertUsersBySql(fixture.pool, "good", 5);
    expect(await relay({ batchSize: 10 })).toMatchObject({ claimed: 10, failed: 10 });
    expect(await relay({ batchSize: 10 })).toMatchObject({ delivered: 5 });
    expect(await namesNotIn(fixture.bitmap, version, names)).toEqual([]);
  });

  it("do not prevent the delivery of good rows in the same batch", async () => {
    await makeVersion(fixture.pool, fixture.bitmap);
    await insertEvent(fixture.pool, "username.claimed", { v: 99 });
    await insertUsersBySql(fixture.pool, "beside", 3);
    expect(await relay()).toEqual({ claimed: 4, delivered: 3, failed: 1, dead: 0 });
  });

  it("are no outage: a batch with only these rows is no error", async () => {
    await insertEvent(fixture.pool, "username.claimed", { v: 99 });
    expect(await relay({ deliver: refuse })).toMatchObject({ failed: 1 });
  });
});

describe("an outage", () => {
  it("never makes a dead letter, and its retries stay frequent", async () => {
    const names = await insertUsersBySql(fixture.pool, "outage", 3);
    for (let attempt = 0; attempt < 40; attempt += 1) {
      await skipRetryWaits(fixture.pool);
      await expect(relay({ deliver: refuse })).rejects.toThrow(/No event of 3 could be delivered/);
    }
    const { rows } = await fixture.pool.query(
      "SELECT max(next_attempt_at) <= clock_timestamp() + interval '10 s' AS soon FROM outbox",
    );
    expect(rows).toEqual([{ soon: true }]);
    for (const event of await outboxEvents(fixture.pool)) {
      expect(event).toMatchObject({ state: "pending", dataErrors: 0, attempts: 40 });
    }
    const version = await makeVersion(fixture.pool, fixture.bitmap);
    await skipRetryWaits(fixture.pool);
    expect(await relay()).toMatchObject({ delivered: 3 });
    expect(await namesNotIn(fixture.bitmap, version, names)).toEqual([]);
  });

  it("keeps every row while Redis is down, and delivers after its restart", async () => {
    // With "everysec" a kill can lose what two seconds wrote, and with it the version itself.
    const own = await TestRedis.start(["--appendonly", "yes", "--appendfsync", "always"]);
    const client = await connect(own.url, 300);
    const bitmap = createEngines(client).bitmap;
    const version = await makeVersion(fixture.pool, bitmap);
    const deliver: Deliver = keys => deliverKeys({ ...fixture.engines, bitmap }, [version], keys);
    const names = await insertUsersBySql(fixture.pool, "down", 40);
    await own.kill();
    await expect(relay({ deliver })).rejects.toThrow(/No event of 40/);
    await own.run();
    await waitFor("all to be delivered", async () => {
      await skipRetryWaits(fixture.pool);
      await relay({ deliver }).catch(() => {});
      return (await pendingEvents(fixture.pool)) === 0;
    });
    expect(await namesNotIn(bitmap, version, names)).toEqual([]);
    client.disconnect();
    await own.remove();
  });
});
