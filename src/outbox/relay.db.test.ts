import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { liveVersions } from "../filter/versions";
import { makeVersion, namesNotIn } from "../testing/filter-state";
import { outboxEvents, pendingEvents, skipRetryWaits } from "../testing/outbox-events";
import { RelayBench } from "../testing/relay-bench";
import { insertUserBySql, insertUsersBySql } from "../testing/test-database";
import { waitFor } from "../testing/wait-for";
import { claim } from "./claim";
import type { Deliver } from "./relay";

let bench: RelayBench;
let relay: RelayBench["relay"];

beforeAll(async () => {
  bench = await RelayBench.start();
  relay = bench.relay;
});
afterAll(() => bench.stop());
beforeEach(() => bench.empty());

const added: Deliver = async keys => keys.map(() => "added");

/** Keys by the state that their events are in. */
async function keysIn(state: "pending" | "processed" | "dead"): Promise<unknown[]> {
  const events = await outboxEvents(bench.pool);
  return events.filter(event => event.state === state).map(event => event.payload.key);
}

describe("the relay", () => {
  it("brings events into every live version", async () => {
    const version = await makeVersion(bench.pool, bench.engines.bitmap);
    await bench.pool.query(
      `INSERT INTO filter_versions (version, engine, state, shard_capacity, error_rate)
       VALUES (2, 'bitmap', 'catching-up', 500, 0.001), (3, 'bitmap', 'retired', 500, 0.001)`,
    );
    const [, building] = await liveVersions(bench.pool);
    for (let shard = 0; shard < 256; shard += 1) await bench.engines.bitmap.reserve(building!, shard);
    const names = await insertUsersBySql(bench.pool, "live", 50);
    expect(await relay()).toEqual({ claimed: 50, delivered: 50, failed: 0, dead: 0 });
    expect(await namesNotIn(bench.engines.bitmap, version, names)).toEqual([]);
    for (let shard = 0; shard < 256; shard += 1) await bench.engines.bitmap.seal(building!, shard);
    expect(await namesNotIn(bench.engines.bitmap, building!, names)).toEqual([]);
    expect(await bench.redis.keys("*:v3")).toEqual([]);
  });

  it("delivers a transaction that commits late with a lower seq", async () => {
    const version = await makeVersion(bench.pool, bench.engines.bitmap);
    const slow = await bench.pool.connect();
    await slow.query("BEGIN");
    await insertUserBySql(slow, "slow");
    await insertUserBySql(bench.pool, "quick");
    expect(await relay()).toMatchObject({ delivered: 1 });
    expect(await relay()).toMatchObject({ claimed: 0 });
    await slow.query("COMMIT");
    slow.release();
    expect(await relay()).toMatchObject({ delivered: 1 });
    expect(await namesNotIn(bench.engines.bitmap, version, ["slow", "quick"])).toEqual([]);
  });

  it("takes a released name for done, and adds both names that a rename leaves", async () => {
    const version = await makeVersion(bench.pool, bench.engines.bitmap);
    await insertUserBySql(bench.pool, "first");
    await bench.pool.query("UPDATE users SET username_key = 'second'");
    await bench.pool.query("DELETE FROM users");
    expect(await relay()).toEqual({ claimed: 3, delivered: 3, failed: 0, dead: 0 });
    expect(await namesNotIn(bench.engines.bitmap, version, ["first", "second"])).toEqual([]);
  });
});

describe("relays that die", () => {
  it("leave nothing undelivered, and each row is counted once", async () => {
    const version = await makeVersion(bench.pool, bench.engines.bitmap);
    const names = await insertUsersBySql(bench.pool, "two", 200);
    // One dies right after its claim, another between adding and marking.
    await claim(bench.pool, { relay: "dies after claim", limit: 50, leaseMs: 400 });
    const dying = relay({
      relay: "dies after add",
      batchSize: 50,
      leaseMs: 400,
      deliver: async keys => {
        await bench.toFilter(keys);
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
      return (await pendingEvents(bench.pool)) === 0;
    });
    expect(counted).toBe(200);
    expect(await namesNotIn(bench.engines.bitmap, version, names)).toEqual([]);
    const events = await outboxEvents(bench.pool);
    expect(events.filter(event => event.claimedBy !== null)).toEqual([]);
  });

  it("do not count a row that an heir delivered while they slept past their lease", async () => {
    await makeVersion(bench.pool, bench.engines.bitmap);
    await insertUsersBySql(bench.pool, "slept", 10);
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
        return bench.toFilter(keys);
      },
    });
    expect(sleeper).toMatchObject({ claimed: 10, delivered: 0 });
    expect(await keysIn("processed")).toHaveLength(10);
  });
});

describe("a batch of which only a part was taken", () => {
  it("marks rows 1 and 3 and keeps row 2, with the reason", async () => {
    const [one, two, three] = await insertUsersBySql(bench.pool, "part", 3);
    const result = await relay({
      deliver: async () => [
        "added",
        { error: "READONLY You can't write against a read only replica." },
        "added",
      ],
    });
    expect(result).toEqual({ claimed: 3, delivered: 2, failed: 1, dead: 0 });
    expect(await keysIn("processed")).toEqual([one, three]);
    const [kept] = (await outboxEvents(bench.pool)).filter(event => event.state === "pending");
    expect(kept).toMatchObject({
      payload: { key: two },
      attempts: 1,
      dataErrors: 0,
      claimedBy: null,
      lastError: "READONLY You can't write against a read only replica.",
    });
    await skipRetryWaits(bench.pool);
    expect(await relay({ deliver: added })).toMatchObject({ delivered: 1 });
  });

  it("never takes a missing outcome for a success", async () => {
    const names = await insertUsersBySql(bench.pool, "short", 4);
    await relay({ deliver: async () => ["added", "added"] });
    expect(await keysIn("processed")).toEqual(names.slice(0, 2));
    expect(await keysIn("pending")).toEqual(names.slice(2));
  });

  it("keeps the names of a lost shard until it is there again, and never makes the shard itself", async () => {
    const version = await makeVersion(bench.pool, bench.engines.bitmap);
    await bench.redis.flushall();
    await insertUsersBySql(bench.pool, "flushed", 20);
    await expect(relay()).rejects.toThrow(/no event of 20 could be delivered.*not found/);
    expect(await bench.redis.dbsize()).toBe(0);
    expect(await keysIn("pending")).toHaveLength(20);
    for (let shard = 0; shard < 256; shard += 1) await bench.engines.bitmap.reserve(version, shard);
    await skipRetryWaits(bench.pool);
    expect(await relay()).toMatchObject({ delivered: 20 });
  });

  it("is not done for a key while one of two versions lacks it", async () => {
    await makeVersion(bench.pool, bench.engines.bitmap);
    await bench.pool.query(
      `INSERT INTO filter_versions (version, engine, state, shard_capacity, error_rate)
       VALUES (2, 'bitmap', 'catching-up', 500, 0.001)`,
    );
    await insertUserBySql(bench.pool, "half");
    await expect(relay()).rejects.toThrow(/not found/);
    expect(await keysIn("pending")).toEqual(["half"]);
  });
});
