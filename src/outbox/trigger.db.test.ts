import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { inTransaction } from "../store/postgres";
import { outboxEvents } from "../testing/outbox-events";
import {
  createTestDatabase,
  insertUserBySql,
  insertUsersBySql,
  type TestDatabase,
} from "../testing/test-database";
import { readIntent } from "./outbox-row";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => database.pool.query("TRUNCATE users, outbox CASCADE"));

const USER = "(username, username_key, username_skeleton, policy_version, email, name)";
const row = (key: string) => `('${key}', '${key}', '${key}', 1, '${key}@example.com', '${key}')`;
const sql = (text: string) => database.pool.query(text);

async function written(): Promise<{ type: string; payload: unknown }[]> {
  return (await outboxEvents(database.pool)).map(({ type, payload }) => ({ type, payload }));
}
const claimed = (key: string) => ({ type: "username.claimed", payload: { v: 1, key } });

describe("the outbox trigger", () => {
  it("writes one event per inserted user, also for plain SQL", async () => {
    await insertUserBySql(database.pool, "alice");
    expect(await written()).toEqual([claimed("alice")]);
    const { rows } = await sql("SELECT id FROM users");
    const [event] = await outboxEvents(database.pool);
    expect(event).toMatchObject({ aggregatetype: "username", aggregateid: rows[0].id });
  });

  it("writes an event for each row of a bulk statement", async () => {
    const names = await insertUsersBySql(database.pool, "bulk", 1_000);
    const keys = (await outboxEvents(database.pool)).map(event => event.payload.key);
    expect(keys.sort()).toEqual(names.sort());
  });

  it("writes events for INSERT … SELECT, for an upsert, for MERGE and for a writable CTE", async () => {
    await sql(`INSERT INTO users ${USER} VALUES ${row("one")}, ${row("two")}`);
    await sql(
      `INSERT INTO users ${USER} VALUES ${row("two")}, ${row("three")}
       ON CONFLICT (username_key) DO UPDATE SET username_key = 'two-renamed'`,
    );
    await sql(
      `MERGE INTO users u USING (VALUES ('one'), ('four')) AS s (key) ON u.username_key = s.key
       WHEN MATCHED THEN UPDATE SET username_key = 'one-merged'
       WHEN NOT MATCHED THEN INSERT ${USER} VALUES (s.key, s.key, s.key, 1, s.key || '@example.com', s.key)`,
    );
    await sql(`WITH made AS (INSERT INTO users ${USER} VALUES ${row("five")} RETURNING id) SELECT FROM made`);
    const added = (await outboxEvents(database.pool)).map(event => event.payload.key).sort();
    const wanted = ["five", "four", "one", "one-merged", "three", "two", "two-renamed"];
    expect(added).toEqual(wanted);
  });

  it("writes both names of a rename", async () => {
    await insertUserBySql(database.pool, "old");
    await sql("UPDATE users SET username_key = 'new', username = 'New'");
    expect(await written()).toEqual([
      claimed("old"),
      { type: "username.renamed", payload: { v: 1, key: "new", skeleton: "old", previousKey: "old" } },
    ]);
  });

  it("writes each rename of a multi-row update, and nothing for rows that keep their key", async () => {
    await insertUsersBySql(database.pool, "many", 5);
    await sql("DELETE FROM outbox");
    await sql(
      "UPDATE users SET username_key = CASE username_key WHEN 'many3' THEN 'many3' ELSE 'x-' || username_key END",
    );
    const renamed = (await written()).map(event => (event.payload as { previousKey: string }).previousKey);
    expect(renamed.sort()).toEqual(["many0", "many1", "many2", "many4"]);
  });

  it("writes the name of a deleted user", async () => {
    await insertUsersBySql(database.pool, "deleted", 2);
    await sql("DELETE FROM outbox");
    await sql("DELETE FROM users");
    expect(await written()).toEqual(
      expect.arrayContaining([
        { type: "username.released", payload: { v: 1, previousKey: "deleted0" } },
        { type: "username.released", payload: { v: 1, previousKey: "deleted1" } },
      ]),
    );
  });

  it("writes nothing when another column changes, or when the key is set to what it was", async () => {
    await insertUserBySql(database.pool, "same");
    await sql("DELETE FROM outbox");
    await sql("UPDATE users SET name = 'Other', email = 'other@example.com', updated_at = now()");
    await sql("UPDATE users SET username_key = 'same'");
    await sql("UPDATE users SET username_key = username_key");
    await sql("UPDATE users SET username_key = 'other' WHERE false");
    expect(await written()).toEqual([]);
  });

  it("writes a skeleton that is not the key, and a skeleton that changed alone", async () => {
    await insertUserBySql(database.pool, "mended");
    await sql("UPDATE users SET username_skeleton = 'rnended' WHERE username_key = 'mended'");
    await sql("UPDATE users SET username_skeleton = 'mended' WHERE username_key = 'mended'");
    const payload = { v: 1, key: "mended", skeleton: "rnended" };
    expect(await written()).toEqual([
      claimed("mended"),
      { type: "username.claimed", payload },
      claimed("mended"),
    ]);
  });

  it("writes the new name even when a statement changes the id as well", async () => {
    await insertUserBySql(database.pool, "before");
    await sql("DELETE FROM outbox");
    await sql("UPDATE users SET id = gen_random_uuid(), username_key = 'after'");
    const added = (await outboxEvents(database.pool)).map(event => event.payload.key);
    expect(added).toEqual(["after"]);
  });

  it("belongs to the transaction of the user row", async () => {
    const failure = inTransaction(database.pool, async client => {
      await insertUserBySql(client, "never");
      await client.query("UPDATE users SET username_key = 'never-either'");
      expect(await outboxEvents(client)).toHaveLength(2);
      throw new Error("roll back");
    });
    await expect(failure).rejects.toThrow("roll back");
    expect(await written()).toEqual([]);
  });

  it("writes nothing for a statement that violates a constraint", async () => {
    await insertUserBySql(database.pool, "taken");
    await expect(sql(`INSERT INTO users ${USER} VALUES ${row("fresh")}, ${row("taken")}`)).rejects.toThrow();
    expect(await written()).toEqual([claimed("taken")]);
  });

  it("records the transaction's id, for the comparison with a snapshot", async () => {
    const xids = await inTransaction(database.pool, async client => {
      await insertUserBySql(client, "one");
      await insertUserBySql(client, "two");
      const { rows } = await client.query("SELECT pg_current_xact_id()::text AS xid");
      return rows[0].xid as string;
    });
    expect((await outboxEvents(database.pool)).map(event => event.xid)).toEqual([xids, xids]);
  });

  it.each([
    ["another search path", "SET search_path = ''"],
    ["a temporary table of the same name", "CREATE TEMPORARY TABLE outbox (LIKE outbox INCLUDING ALL)"],
  ])("is not affected by %s", async (_, setting) => {
    const client = await database.pool.connect();
    try {
      await client.query(setting);
      await client.query(`INSERT INTO public.users ${USER} VALUES ${row("elsewhere")}`);
    } finally {
      client.release(true);
    }
    expect(await written()).toEqual([claimed("elsewhere")]);
  });

  it("fits the columns that Debezium's outbox event router reads", async () => {
    const { rows } = await sql(
      `SELECT column_name AS name, data_type AS type, is_nullable AS nullable FROM information_schema.columns
       WHERE table_name = 'outbox' AND column_name IN ('id', 'aggregatetype', 'aggregateid', 'type', 'payload') ORDER BY 1`,
    );
    expect(rows).toEqual([
      { name: "aggregateid", type: "text", nullable: "NO" },
      { name: "aggregatetype", type: "text", nullable: "NO" },
      { name: "id", type: "uuid", nullable: "NO" },
      { name: "payload", type: "jsonb", nullable: "NO" },
      { name: "type", type: "text", nullable: "NO" },
    ]);
  });

  it("writes only events that the relay can read, up to the longest key", async () => {
    const longest = "\u{1F600}".repeat(32);
    await insertUserBySql(database.pool, longest);
    await sql("UPDATE users SET username_key = 'quote\"back\\slash'");
    await sql("DELETE FROM users");
    const intents = (await outboxEvents(database.pool)).map(readIntent);
    expect(intents).toEqual([{ add: [longest] }, { add: ['quote"back\\slash', longest] }, { nothing: true }]);
  });
});
