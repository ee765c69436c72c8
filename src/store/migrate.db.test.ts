import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createEmptyDatabase, type EmptyDatabase } from "../testing/empty-database";
import { waitFor } from "../testing/wait-for";
import { type MigrationWait, migrate } from "./migrate";
import { createPool } from "./postgres";

const OURS = join(import.meta.dirname, "../../prisma/migrations");

let database: EmptyDatabase;
let folder: string;

beforeEach(async () => {
  database = await createEmptyDatabase();
  folder = await mkdtemp(join(tmpdir(), "floodgate-migrations-"));
});
afterEach(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function write(name: string, sql: string): Promise<void> {
  await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, name, "migration.sql"), sql);
}

async function tables(): Promise<string[]> {
  const { rows } = await database.pool.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
  );
  return rows.map(row => row.name);
}

describe("the migration runner", () => {
  it("brings an empty database up to date, and has nothing to do the second time", async () => {
    const names = (await readdir(OURS, { withFileTypes: true }))
      .filter(e => e.isDirectory())
      .map(e => e.name);
    expect(await migrate(database.pool, OURS)).toEqual(names.sort());
    expect(await tables()).toEqual(expect.arrayContaining(["filter_versions", "outbox", "users"]));
    expect(await migrate(database.pool, OURS)).toEqual([]);
  });

  it("keeps the books as Prisma does", async () => {
    await migrate(database.pool, OURS);
    const { rows } = await database.pool.query("SELECT * FROM _prisma_migrations ORDER BY migration_name");
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      const file = await readFile(join(OURS, row.migration_name, "migration.sql"));
      expect(row).toMatchObject({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        checksum: createHash("sha256").update(file).digest("hex"),
        finished_at: expect.any(Date),
        started_at: expect.any(Date),
        rolled_back_at: null,
        logs: null,
        applied_steps_count: 1,
      });
    }
  });

  it("applies only what is new, in the order of the names", async () => {
    await write("1_first", "CREATE TABLE first ();");
    await migrate(database.pool, folder);
    await write("3_third", "ALTER TABLE second ADD COLUMN later int;");
    await write("2_second", "CREATE TABLE second ();");
    expect(await migrate(database.pool, folder)).toEqual(["2_second", "3_third"]);
  });

  it("refuses a migration that was changed after it had been applied", async () => {
    await cp(OURS, folder, { recursive: true });
    await write("90000000000000_extra", "CREATE TABLE extra ();");
    await migrate(database.pool, folder);
    await write("90000000000000_extra", "CREATE TABLE extra (more int);");
    await write("90000000000001_next", "CREATE TABLE next ();");
    await expect(migrate(database.pool, folder)).rejects.toThrow(
      /90000000000000_extra was changed after it had been applied/,
    );
    expect(await tables()).not.toContain("next");
  });

  it("rolls a failed migration back, and reports which one failed and why", async () => {
    await write("1_good", "CREATE TABLE good ();");
    await write("2_bad", "CREATE TABLE half (); INSERT INTO nowhere VALUES (1);");
    const failure = await migrate(database.pool, folder).catch((error: Error) => error);
    expect(failure).toMatchObject({
      message: expect.stringContaining("2_bad failed"),
      cause: { message: expect.stringContaining("nowhere") },
    });
    expect(await tables()).toEqual(["_prisma_migrations", "good"]);
    const { rows } = await database.pool.query("SELECT migration_name FROM _prisma_migrations");
    expect(rows).toEqual([{ migration_name: "1_good" }]);

    await write("2_bad", "CREATE TABLE whole ();");
    expect(await migrate(database.pool, folder)).toEqual(["2_bad"]);
  });

  it("does not go past a migration that failed half-way under Prisma", async () => {
    await write("1_good", "CREATE TABLE good ();");
    await migrate(database.pool, folder);
    await database.pool.query("UPDATE _prisma_migrations SET finished_at = NULL");
    await write("2_next", "CREATE TABLE next ();");
    await expect(migrate(database.pool, folder)).rejects.toThrow(/1_good has failed before/);
    expect(await tables()).not.toContain("next");
  });

  it("applies once when several runners start at once", async () => {
    const pools = [1, 2, 3].map(() =>
      createPool(
        {
          url: database.url,
          applicationName: "runner",
          maxConnections: 1,
          connectTimeoutMs: 10_000,
          statementTimeoutMs: 30_000,
        },
        () => {},
      ),
    );
    const applied = await Promise.all(pools.map(pool => migrate(pool, OURS)));
    expect(applied.filter(names => names.length > 0)).toHaveLength(1);
    const { rows } = await database.pool.query("SELECT migration_name FROM _prisma_migrations");
    expect(rows).toHaveLength(applied.flat().length);
    await Promise.all(pools.map(pool => pool.end()));
  });
});

describe("a migration of a table that somebody reads", () => {
  let reader: pg.Client;
  beforeEach(async () => {
    await database.pool.query("CREATE TABLE people (name text); INSERT INTO people VALUES ('anna')");
    reader = new pg.Client({ connectionString: database.url, application_name: "a long report" });
    await reader.connect();
    await reader.query("BEGIN");
    await reader.query("SELECT * FROM people");
    await write("1_wider", "ALTER TABLE people ADD COLUMN age int;");
  });
  afterEach(() => reader.end());

  it("waits in short tries, names the holder, and lets requests pass in between", async () => {
    const waits: MigrationWait[] = [];
    const running = migrate(database.pool, folder, { lockTimeoutMs: 200, onWait: wait => waits.push(wait) });
    // Each of these needs the table: behind a migration that waits without a bound they would all wait.
    const requests = new pg.Pool({ connectionString: database.url, max: 4, statement_timeout: 1_500 });
    let served = 0;
    await waitFor("two tries, and requests between them", async () => {
      const { rowCount } = await requests.query("SELECT FROM people");
      served += rowCount ?? 0;
      return waits.length >= 2;
    });
    expect(served).toBeGreaterThan(10);
    expect(waits[0]).toMatchObject({ migration: "1_wider", waitedMs: expect.any(Number) });
    expect(waits[0]!.holders.join()).toMatch(/a long report, user \w+\), idle in transaction/);
    await reader.query("COMMIT");
    expect(await running).toEqual(["1_wider"]);
    await requests.end();
  });

  it("gives up with the holder's name in the end, and keeps nothing of it", async () => {
    const failure = await migrate(database.pool, folder, { lockTimeoutMs: 300, patienceMs: 400 }).catch(
      (error: Error) => error,
    );
    expect(failure).toMatchObject({ message: expect.stringMatching(/1_wider waited .*a long report/s) });
    const { rows } = await database.pool.query("SELECT migration_name FROM _prisma_migrations");
    expect(rows).toEqual([]);
    await reader.query("COMMIT");
    expect(await migrate(database.pool, folder)).toEqual(["1_wider"]);
  });
});

describe("a migration that builds an index concurrently", () => {
  const isValid = async () => {
    const { rows } = await database.pool.query(
      "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('people_name_idx')",
    );
    return rows[0]?.valid as boolean | undefined;
  };
  const INDEX =
    "-- Found by name.\nCREATE INDEX CONCURRENTLY IF NOT EXISTS people_name_idx\n  ON people (name);\n";

  beforeEach(async () => {
    await database.pool.query(
      "CREATE TABLE people (name text); INSERT INTO people VALUES ('anna'), ('anna')",
    );
    await write("1_index", INDEX);
  });

  it("lets others write while it waits for a writer, and is in the books once", async () => {
    const writer = new pg.Client({ connectionString: database.url });
    await writer.connect();
    await writer.query("BEGIN");
    await writer.query("INSERT INTO people VALUES ('boris')");
    const running = migrate(database.pool, folder);
    await waitFor("the index to be begun", async () => (await isValid()) !== undefined);
    await database.pool.query("INSERT INTO people VALUES ('clara')");
    await writer.query("COMMIT");
    expect(await running).toEqual(["1_index"]);
    expect(await isValid()).toBe(true);
    expect(await migrate(database.pool, folder)).toEqual([]);
    await writer.end();
  });

  it("replaces the invalid index that an interrupted one has left", async () => {
    await database.pool
      .query("CREATE UNIQUE INDEX CONCURRENTLY people_name_idx ON people (name)")
      .catch(() => {});
    expect(await isValid()).toBe(false);
    expect(await migrate(database.pool, folder)).toEqual(["1_index"]);
    expect(await isValid()).toBe(true);
  });

  it("is refused with another statement in its file", async () => {
    await write("1_index", `${INDEX} CREATE TABLE half ();`);
    await expect(migrate(database.pool, folder)).rejects.toMatchObject({
      cause: { message: expect.stringContaining("alone in its file") },
    });
    expect(await tables()).not.toContain("half");
  });
});

it("our migrations build indexes of tables that were there before concurrently", async () => {
  for (const entry of await readdir(OURS, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const sql = await readFile(join(OURS, entry.name, "migration.sql"), "utf8");
    const made = [...sql.matchAll(/CREATE TABLE (\w+)/g)].map(match => match[1]);
    const indexed = [...sql.matchAll(/CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY)[^;]*? ON (\w+)/g)];
    for (const [, table] of indexed) expect(made, `${entry.name}: ${table}`).toContain(table);
  }
});

describe("the migration runner on a pool with short statement timeouts", () => {
  let shortTimeout: EmptyDatabase;
  beforeEach(async () => {
    shortTimeout = await createEmptyDatabase(200);
  });
  afterEach(() => shortTimeout.drop());

  it("gives a long migration the time it needs", async () => {
    await write("1_long", "CREATE TABLE long (); SELECT pg_sleep(1.5);");
    expect(await migrate(shortTimeout.pool, folder)).toEqual(["1_long"]);
  });

  it("waits for another runner as long as that one takes", async () => {
    await write("1_first", "CREATE TABLE first ();");
    const other = new pg.Client({ connectionString: shortTimeout.url });
    await other.connect();
    await other.query("SELECT pg_advisory_lock(72707369)");
    const running = migrate(shortTimeout.pool, folder).catch((error: Error) => error);
    await Promise.race([
      running,
      waitFor("the runner to have waited longer than its pool's timeouts", async () => {
        const { rowCount } = await other.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'
             AND query_start < clock_timestamp() - interval '1200 ms'`,
        );
        return rowCount === 1;
      }),
    ]);
    await other.end();
    expect(await running).toEqual(["1_first"]);
  });
});
