import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestPool } from "../testing/open-test-pool";
import { terminateBackends } from "../testing/terminate-backends";
import { createTestDatabase, type TestDatabase } from "../testing/test-database";
import { collectUncaught } from "../testing/uncaught";
import { waitFor } from "../testing/wait-for";
import { AdvisoryLock } from "./advisory-lock";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const openPool = (applicationName: string, maxConnections = 2) =>
  openTestPool(database.url, { applicationName, maxConnections });

describe("an advisory lock", () => {
  it("has one holder, who may ask again", async () => {
    const [one, two] = [openPool("one"), openPool("two")].map(pool => new AdvisoryLock(pool, "single"));
    expect(await one!.acquire()).toBe(true);
    expect(await one!.acquire()).toBe(true);
    expect(await two!.acquire()).toBe(false);
    one!.release();
    await waitFor("the other one to get it", () => two!.acquire());
    expect(await one!.acquire()).toBe(false);
    two!.release();
  });

  it("has a name: two locks do not get in each other's way", async () => {
    const pool = openPool("names");
    const [one, two] = [new AdvisoryLock(pool, "name one"), new AdvisoryLock(pool, "name two")];
    expect(await one.acquire()).toBe(true);
    expect(await two.acquire()).toBe(true);
    one.release();
    two.release();
  });

  it("is free again when its holder's connection ends, and the holder notices", async () => {
    const uncaught = collectUncaught();
    const [one, two] = [openPool("holder"), openPool("waiting")].map(pool => new AdvisoryLock(pool, "ended"));
    expect(await one!.acquire()).toBe(true);
    await terminateBackends(database.url, "application_name = 'holder'");
    await waitFor("the other one to get it", () => two!.acquire());
    await waitFor("the former holder to know", async () => !(await one!.acquire()));
    expect(uncaught).toEqual([]);
    two!.release();
  });

  it("costs its pool no place, however often its connection is lost", async () => {
    const uncaught = collectUncaught();
    const pool = openPool("unlucky", 2);
    const lock = new AdvisoryLock(pool, "lost");
    for (let round = 0; round < 5; round += 1) {
      await waitFor("the lock", () => lock.acquire());
      await terminateBackends(database.url, "application_name = 'unlucky'");
      await waitFor("the connection to be gone", async () => {
        const { rows } = await database.pool.query(
          `SELECT count(*)::int AS count FROM pg_locks JOIN pg_stat_activity USING (pid)
           WHERE locktype = 'advisory' AND application_name = 'unlucky'`,
        );
        return rows[0].count === 0;
      });
      await waitFor("the pool to answer", () =>
        pool.query("SELECT 1").then(
          () => true,
          () => false,
        ),
      );
    }
    expect(pool.totalCount).toBeLessThanOrEqual(2);
    expect(uncaught).toEqual([]);
    lock.release();
  });
});
