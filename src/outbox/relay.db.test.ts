import { describe, expect, it } from "vitest";
import { liveVersions } from "../filter/versions";
import { filterFixture } from "../testing/filter-fixture";
import { makeVersion, namesNotIn } from "../testing/filter-state";
import { outboxEvents, pendingEvents, skipRetryWaits } from "../testing/outbox-events";
import { insertUserBySql, insertUsersBySql } from "../testing/test-database";
import { waitFor } from "../testing/wait-for";
import { claim } from "./claim";
import type { Deliver } from "./relay";

const fixture = filterFixture({ sharesDatabase: true });
const { relay } = fixture;

const added: Deliver = async keys => keys.map(() => "added");

/** Keys by the state that their events are in. */
async function keysIn(state: "pending" | "processed" | "dead"): Promise<unknown[]> {
  const events = await outboxEvents(fixture.pool);
  return events.filter(event => event.state === state).map(event => event.payload.key);
}

describe("the relay", () => {
  it("delivers events to every live version", async () => {
    const version = await makeVersion(fixture.pool, fixture.bitmap);
    await fixture.pool.query(
      `INSERT INTO filter_versions (version, engine, state, shard_capacity, error_rate)
       VALUES (2, 'bitmap', 'catching-up', 500, 0.001), (3, 'bitmap', 'retired', 500, 0.001)`,
    );
    const [, building] = await liveVersions(fixture.pool);
    for (let shard = 0; shard < 256; shard += 1) await fixture.bitmap.reserve(building!, shard);
    const names = await insertUsersBySql(fixture.pool, "live", 50);
    expect(await relay()).toEqual({ claimed: 50, delivered: 50, failed: 0, dead: 0 });
    expect(await namesNotIn(fixture.bitmap, version, names)).toEqual([]);
    for (let shard = 0; shard < 256; shard += 1) await fixture.bitmap.seal(building!, shard);
    expect(await namesNotIn(fixture.bitmap, building!, names)).toEqual([]);
    expect(await fixture.redis.keys("*:v3")).toEqual([]);
  });

  it("delivers a transaction that commits late with a lower seq", async () => {
    const version = await makeVersion(fixture.pool, fixture.bitmap);
    const slow = await fixture.pool.connect();
    await slow.query("BEGIN");
    await insertUserBySql(slow, "slow");
    await insertUserBySql(fixture.pool, "quick");
    expect(await relay()).toMatchObject({ delivered: 1 });
    expect(await relay()).toMatchObject({ claimed: 0 });
    await slow.query("COMMIT");
    slow.release();
    expect(await relay()).toMatchObject({ delivered: 1 });
    expect(await namesNotIn(fixture.bitmap, version, ["slow", "quick"])).toEqual([]);
  });

  it("skips a released name, and adds both names of a rename", async () => {
    const version = await makeVersion(fixture.pool, fixture.bitmap);
    await insertUserBySql(fixture.pool, "first");
    await fixture.pool.query("UPDATE users SET username_key = 'second'");
    await fixture.pool.query("DELETE FROM users");
    expect(await relay()).toEqual({ claimed: 3, delivered: 3, failed: 0, dead: 0 });
    expect(await namesNotIn(fixture.bitmap, version, ["first", "second"])).toEqual([]);
  });
});

describe("relays that crash", () => {
  it("lose no event, and each row is counted once", async () => {
    const version = await makeVersion(fixture.pool, fixture.bitmap);
    const names = await insertUsersBySql(fixture.pool, "two", 200);
    // One relay crashes after its claim, another one between the add and the mark.
    await claim(fixture.pool, { relay: "crashes after claim", limit: 50, leaseMs: 400 });
    const crashing = relay({
      relay: "crashes after add",
      batchSize: 50,
      leaseMs: 400,
      deliver: async keys => {
        await fixture.deliver(keys);
        throw new Error("killed");
      },
    });
    await expect(crashing).rejects.toThrow("killed");

    let counted = 0;
    const work = async (name: string) => {
      const { delivered } = await relay({ relay: name, batchSize: 30, leaseMs: 60_000 });
      counted += delivered;
    };
    await waitFor("everything to be delivered", async () => {
      await Promise.all([work("one"), work("two")]);
      return (await pendingEvents(fixture.pool)) === 0;
    });
    expect(counted).toBe(200);
    expect(await namesNotIn(fixture.bitmap, version, names)).toEqual([]);
    const events = await outboxEvents(fixture.pool);
    expect(events.filter(event => event.claimedBy !== null)).toEqual([]);
  });

  it("do not count a row that another relay delivered after the lease ended", async () => {
    await makeVersion(fixture.pool, fixture.bitmap);
    await insertUsersBySql(fixture.pool, "slept", 10);
    let others = 0;
    const paused = await relay({
      relay: "paused",
      leaseMs: 100,
      deliver: async keys => {
        await waitFor("the other relay to deliver", async () => {
          const { delivered } = await relay({ relay: "other" });
          others += delivered;
          return others === 10;
        });
        return fixture.deliver(keys);
      },
    });
    expect(paused).toMatchObject({ claimed: 10, delivered: 0 });
    expect(await keysIn("processed")).toHaveLength(10);
  });
});

describe("a batch that is delivered in part", () => {
  it("marks rows 1 and 3 and keeps row 2, with the error", async () => {
    const [one, two, three] = await insertUsersBySql(fixture.pool, "part", 3);
    const result = await relay({
      deliver: async () => [
        "added",
        { error: "READONLY You can't write against a read only replica." },
        "added",
      ],
    });
    expect(result).toEqual({ claimed: 3, delivered: 2, failed: 1, dead: 0 });
    expect(await keysIn("processed")).toEqual([one, three]);
    const [kept] = (await outboxEvents(fixture.pool)).filter(event => event.state === "pending");
    expect(kept).toMatchObject({
      payload: { key: two },
      attempts: 1,
      dataErrors: 0,
      claimedBy: null,
      lastError: "READONLY You can't write against a read only replica.",
    });
    await skipRetryWaits(fixture.pool);
    expect(await relay({ deliver: added })).toMatchObject({ delivered: 1 });
  });

  it("never counts a missing outcome as a success", async () => {
    const names = await insertUsersBySql(fixture.pool, "short", 4);
    await relay({ deliver: async () => ["added", "added"] });
    expect(await keysIn("processed")).toEqual(names.slice(0, 2));
    expect(await keysIn("pending")).toEqual(names.slice(2));
  });

  it("keeps the names of a missing shard until the shard exists, and never creates it", async () => {
    const version = await makeVersion(fixture.pool, fixture.bitmap);
    await fixture.redis.flushall();
    await insertUsersBySql(fixture.pool, "flushed", 20);
    await expect(relay()).rejects.toThrow(/No event of 20 could be delivered.*not found/);
    expect(await fixture.redis.dbsize()).toBe(0);
    expect(await keysIn("pending")).toHaveLength(20);
    for (let shard = 0; shard < 256; shard += 1) await fixture.bitmap.reserve(version, shard);
    await skipRetryWaits(fixture.pool);
    expect(await relay()).toMatchObject({ delivered: 20 });
  });

  it("keeps a key while one of two versions lacks it", async () => {
    await makeVersion(fixture.pool, fixture.bitmap);
    await fixture.pool.query(
      `INSERT INTO filter_versions (version, engine, state, shard_capacity, error_rate)
       VALUES (2, 'bitmap', 'catching-up', 500, 0.001)`,
    );
    await insertUserBySql(fixture.pool, "half");
    await expect(relay()).rejects.toThrow(/not found/);
    expect(await keysIn("pending")).toEqual(["half"]);
  });
});
