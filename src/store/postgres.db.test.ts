import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestPool } from "../testing/open-test-pool";
import { terminateBackends } from "../testing/terminate-backends";
import { createTestDatabase, insertUserBySql, type TestDatabase } from "../testing/test-database";
import { collectUncaught } from "../testing/uncaught";
import { waitFor } from "../testing/wait-for";
import { inTransaction } from "./postgres";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const openPool = (applicationName: string, maxConnections = 2) =>
  openTestPool(database.url, { applicationName, maxConnections });

describe("a transaction", () => {
  it("keeps all or nothing", async () => {
    const pool = openPool("transaction");
    await inTransaction(pool, client => insertUserBySql(client, "kept"));
    const failure = inTransaction(pool, async client => {
      await insertUserBySql(client, "lost");
      throw new Error("changed my mind");
    });
    await expect(failure).rejects.toThrow("changed my mind");
    const { rows } = await pool.query("SELECT username_key FROM users ORDER BY 1");
    expect(rows).toEqual([{ username_key: "kept" }]);
  });

  it("rejects, and leaves the pool usable, when its connection is lost", async () => {
    const uncaught = collectUncaught();
    const pool = openPool("cut", 1);
    for (let round = 0; round < 3; round += 1) {
      const failure = inTransaction(pool, async client => {
        await insertUserBySql(client, `cut${round}`);
        await terminateBackends(database.url, "application_name = 'cut'");
        await client.query("SELECT 1");
      });
      await expect(failure).rejects.toThrow();
    }
    expect(await inTransaction(pool, client => client.query("SELECT 1 AS one"))).toMatchObject({
      rows: [{ one: 1 }],
    });
    expect(uncaught).toEqual([]);
  });

  it("rejects, and leaves the pool usable, when its connection is lost during a statement", async () => {
    const uncaught = collectUncaught();
    const pool = openPool("cut inside", 1);
    const failure = inTransaction(pool, client => client.query("SELECT pg_sleep(20)")).catch(
      (error: Error) => error,
    );
    await waitFor("the statement to run", async () => {
      const { rowCount } = await database.pool.query(
        "SELECT FROM pg_stat_activity WHERE application_name = 'cut inside' AND wait_event = 'PgSleep'",
      );
      return rowCount === 1;
    });
    await terminateBackends(database.url, "application_name = 'cut inside'");
    expect(await failure).toBeInstanceOf(Error);
    await waitFor("the pool to answer", () => pool.query("SELECT 1").then(() => true));
    expect(uncaught).toEqual([]);
  });
});
