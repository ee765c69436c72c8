import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { insertEvent, outboxEvents, pendingEvents } from "../testing/outbox-events";
import {
  createTestDatabase,
  insertUserBySql,
  insertUsersBySql,
  type TestDatabase,
} from "../testing/test-database";
import { measureBacklog, purgeProcessed, replayProcessed, requestRedelivery } from "./backlog";

const HOUR_MS = 3_600_000;
const signal = new AbortController().signal;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => database.pool.query("TRUNCATE users, outbox CASCADE"));

const sql = (text: string) => database.pool.query(text);
/** Marks events as processed some time ago. */
const markProcessed = (where: string, ago: string) =>
  sql(`UPDATE outbox SET processed_at = clock_timestamp() - interval '${ago}' WHERE ${where}`);

describe("the backlog", () => {
  it("is zero for an empty outbox", async () => {
    expect(await measureBacklog(database.pool)).toEqual({
      pending: 0,
      dead: 0,
      oldestSeconds: 0,
      oldestDeliverableSeconds: 0,
    });
  });

  it("counts pending rows and their age, and dead letters separately", async () => {
    await insertUsersBySql(database.pool, "waiting", 4);
    await sql(
      "UPDATE outbox SET created_at = created_at - interval '90 s' WHERE payload->>'key' = 'waiting0'",
    );
    await sql(
      "UPDATE outbox SET created_at = created_at - interval '1 day', dead_at = now() WHERE payload->>'key' = 'waiting2'",
    );
    await markProcessed("payload->>'key' = 'waiting3'", "1 second");
    const backlog = await measureBacklog(database.pool);
    expect(backlog).toMatchObject({ pending: 2, dead: 1 });
    expect(backlog.oldestSeconds).toBeGreaterThanOrEqual(90);
    expect(backlog.oldestSeconds).toBeLessThan(3_600);
  });

  it("estimates a large number of pending rows, also while they are delivered", async () => {
    await insertUsersBySql(database.pool, "many", 12_000);
    expect((await measureBacklog(database.pool)).pending).toBe(12_000);
    await markProcessed("seq < (SELECT min(seq) + 1000 FROM outbox)", "1 second");
    expect((await measureBacklog(database.pool)).pending).toBe(11_000);
    await markProcessed("seq < (SELECT min(seq) + 5000 FROM outbox)", "1 second");
    expect((await measureBacklog(database.pool)).pending).toBe(7_000);
  });

  it("leaves events of full shards out of the age of those that can be delivered", async () => {
    await insertUsersBySql(database.pool, "stuck", 2);
    await sql(
      "UPDATE outbox SET created_at = created_at - interval '90 s', last_error = 'ERR filter is full' WHERE payload->>'key' = 'stuck0'",
    );
    const { oldestSeconds, oldestDeliverableSeconds } = await measureBacklog(database.pool);
    expect(oldestSeconds).toBeGreaterThanOrEqual(90);
    expect(oldestDeliverableSeconds).toBeLessThan(90);
  });
});

describe("the purge", () => {
  it("deletes the rows that were processed before the retention time, and no other rows", async () => {
    await insertUsersBySql(database.pool, "row", 5);
    await markProcessed("payload->>'key' IN ('row0', 'row1')", "61 minutes");
    await markProcessed("payload->>'key' = 'row2'", "59 minutes");
    await sql("UPDATE outbox SET dead_at = now() - interval '1 year' WHERE payload->>'key' = 'row3'");
    await sql("UPDATE outbox SET created_at = now() - interval '1 year' WHERE payload->>'key' = 'row4'");
    expect(await purgeProcessed(database.pool, HOUR_MS)).toBe(2);
    const left = (await outboxEvents(database.pool)).map(event => event.payload.key);
    expect(left).toEqual(["row2", "row3", "row4"]);
  });

  it("deletes bounded batches, also when several relays purge at the same time", async () => {
    await insertUsersBySql(database.pool, "step", 1_000);
    await markProcessed("true", "2 hours");
    expect(await purgeProcessed(database.pool, HOUR_MS, 100)).toBe(100);
    const counts = await Promise.all([1, 2, 3].map(() => purgeProcessed(database.pool, HOUR_MS, 100)));
    expect(Math.max(...counts)).toBeLessThanOrEqual(100);
    let left = 1_000 - 100 - counts.reduce((sum, count) => sum + count, 0);
    while (left > 0) {
      const count = await purgeProcessed(database.pool, HOUR_MS, 100);
      expect(count).toBe(Math.min(100, left));
      left -= count;
    }
    expect(await outboxEvents(database.pool)).toEqual([]);
  });
});

describe("the replay of processed events", () => {
  const replay = async (windowMs: number) => {
    const keys: string[] = [];
    const count = await replayProcessed(database.pool, {
      windowMs,
      signal,
      async deliver(page) {
        keys.push(...page);
        return page.map(() => "added");
      },
    });
    expect(count).toBe(keys.length);
    return keys.sort();
  };

  it("includes the window, but no pending and no dead row", async () => {
    await insertUsersBySql(database.pool, "name", 5);
    await markProcessed("payload->>'key' = 'name0'", "2 hours");
    await markProcessed("payload->>'key' IN ('name1', 'name2')", "10 minutes");
    await sql("UPDATE outbox SET dead_at = now() WHERE payload->>'key' = 'name3'");
    expect(await replay(HOUR_MS)).toEqual(["name1", "name2"]);
    expect(await replay(3 * HOUR_MS)).toEqual(["name0", "name1", "name2"]);
  });

  it("misses no row of many pages, even when all have the same processed_at", async () => {
    const names = await insertUsersBySql(database.pool, "page", 12_000);
    await sql("UPDATE outbox SET processed_at = now()");
    expect(await replay(HOUR_MS)).toEqual(names.sort());
  });

  it("is exact when the last page is full, and skips released names", async () => {
    const names = await insertUsersBySql(database.pool, "full", 4_999);
    await sql("DELETE FROM users WHERE username_key = 'full7'");
    await markProcessed("true", "1 second");
    expect(await outboxEvents(database.pool)).toHaveLength(5_000);
    expect(await replay(HOUR_MS)).toEqual(names.sort());
  });

  it("continues after a name that could not be added, but not during an outage", async () => {
    const names = await insertUsersBySql(database.pool, "page", 12_000);
    await sql("UPDATE outbox SET processed_at = now()");
    const tried: string[] = [];
    const replayWith = (errorOf: (key: string) => string | null) =>
      replayProcessed(database.pool, {
        windowMs: HOUR_MS,
        signal,
        async deliver(keys) {
          tried.push(...keys);
          return keys.map(key => {
            const error = errorOf(key);
            return error === null ? "added" : { error };
          });
        },
      });
    await expect(replayWith(key => (key === names[0] ? "ERR no" : null))).rejects.toThrow("ERR no");
    expect(tried.sort()).toEqual(names.sort());
    tried.length = 0;
    await expect(replayWith(() => "Connection is closed.")).rejects.toThrow("closed");
    expect(tried).toHaveLength(5_000);
  });

  it("rejects when one name could not be added, and when its signal aborts", async () => {
    await insertUsersBySql(database.pool, "fails", 3);
    await markProcessed("true", "1 second");
    const failing = replayProcessed(database.pool, {
      windowMs: HOUR_MS,
      signal,
      deliver: async () => ["added", { error: "READONLY" }, "added"],
    });
    await expect(failing).rejects.toThrow("READONLY");
    const stopped = replayProcessed(database.pool, {
      windowMs: HOUR_MS,
      signal: AbortSignal.abort(),
      deliver: () => expect.unreachable(),
    });
    await expect(stopped).rejects.toThrow();
  });
});

describe("a request for redelivery", () => {
  /** A user of a minute ago, whose event should be delivered by now. */
  async function insertSettled(key: string): Promise<void> {
    await insertUserBySql(database.pool, key);
    await sql(
      "UPDATE users SET created_at = now() - interval '1 minute', updated_at = now() - interval '1 minute'",
    );
  }

  it("writes one event for an existing user, and no second one while it is pending", async () => {
    await insertSettled("again");
    await markProcessed("true", "1 hour");
    expect(await requestRedelivery(database.pool, "again")).toBe(true);
    expect(await requestRedelivery(database.pool, "again")).toBe(false);
    const [, requested, ...more] = await outboxEvents(database.pool);
    expect(requested).toMatchObject({
      type: "username.claimed",
      payload: { v: 1, key: "again" },
      state: "pending",
    });
    expect(more).toEqual([]);
  });

  it("does nothing for an unknown name, a pending event, or a name that is seconds old", async () => {
    await insertSettled("underway");
    await insertUserBySql(database.pool, "young");
    expect(await requestRedelivery(database.pool, "underway")).toBe(false);
    expect(await requestRedelivery(database.pool, "young")).toBe(false);
    expect(await requestRedelivery(database.pool, "absent")).toBe(false);
    expect(await pendingEvents(database.pool)).toBe(2);
  });

  it("writes an event when the user has a dead letter", async () => {
    await insertSettled("dead");
    await sql("UPDATE outbox SET dead_at = now()");
    await insertEvent(database.pool, "username.claimed", { v: 1, key: "other" });
    await requestRedelivery(database.pool, "dead");
    const requested = (await outboxEvents(database.pool)).filter(event => event.payload.key === "dead");
    expect(requested.map(event => event.state)).toEqual(["dead", "pending"]);
  });
});
