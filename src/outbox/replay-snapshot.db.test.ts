import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, insertUserBySql, type TestDatabase } from "../testing/test-database";
import { replaySnapshot } from "./replay-snapshot";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it("delivers the events that a snapshot may miss, and none that was processed before it", async () => {
  const { pool } = database;
  // A long transaction: all events below have a later xid, so xmin alone does not exclude them.
  const long = await pool.connect();
  await long.query("BEGIN");
  const xmin = (await long.query<{ xid: string }>("SELECT pg_current_xact_id()::text AS xid")).rows[0]!.xid;
  await insertUserBySql(long, "long");
  for (const key of ["before", "processed-since", "dead", "pending"]) await insertUserBySql(pool, key);
  const process = (key: string, when: string) =>
    pool.query(
      `UPDATE outbox SET processed_at = clock_timestamp() + $2::interval WHERE payload->>'key' = $1`,
      [key, when],
    );
  await process("before", "-1 hour");
  await pool.query("UPDATE outbox SET dead_at = now() WHERE payload->>'key' = 'dead'");
  const since = (await pool.query<{ now: string }>("SELECT clock_timestamp()::text AS now")).rows[0]!.now;
  await process("processed-since", "0 seconds");
  await long.query("COMMIT");
  long.release();

  const keys: string[] = [];
  const replayed = await replaySnapshot(pool, {
    xmin,
    since,
    signal: AbortSignal.timeout(10_000),
    async deliver(page) {
      keys.push(...page);
      return page.map(() => "added");
    },
  });
  expect(keys.sort()).toEqual(["long", "pending", "processed-since"]);
  expect(replayed).toBe(3);
});
