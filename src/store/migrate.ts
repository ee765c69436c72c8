import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Pool, PoolClient } from "./postgres";

/** The advisory lock `prisma migrate deploy` takes; taking the same one keeps both apart. */
const PRISMA_LOCK = 72707369;

/** As Prisma's schema engine creates it, so that `prisma migrate deploy` can continue from here. */
const BOOKKEEPING = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id                  varchar(36) PRIMARY KEY NOT NULL,
    checksum            varchar(64) NOT NULL,
    finished_at         timestamptz,
    migration_name      varchar(255) NOT NULL,
    logs                text,
    rolled_back_at      timestamptz,
    started_at          timestamptz NOT NULL DEFAULT now(),
    applied_steps_count integer NOT NULL DEFAULT 0
  )`;

type Migration = { name: string; sql: string; checksum: string };

/**
 * Applies prisma/migrations in order, each in a transaction with its own bookkeeping row.
 * @returns the names that were applied now
 * @throws when an applied migration was changed since, or one failed half-way under Prisma
 */
export async function migrate(pool: Pool, folder: string): Promise<string[]> {
  const migrations = await readMigrations(folder);
  const client = await pool.connect();
  try {
    await client.query("SET statement_timeout = 0");
    await client.query(unlimited("SELECT pg_advisory_lock($1)", [PRISMA_LOCK]));
    await client.query(BOOKKEEPING);
    const pending = await findPending(client, migrations);
    for (const migration of pending) await apply(client, migration);
    return pending.map(migration => migration.name);
  } finally {
    // Ends the connection, and with it the lock and the lifted timeout.
    client.release(true);
  }
}

/** The pool's client-side timeout is for requests; a migration may take longer. */
function unlimited(text: string, values?: unknown[]) {
  return { text, values, query_timeout: 2_147_483_647 };
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter(entry => entry.isDirectory()).map(entry => entry.name);
  return Promise.all(
    names.sort().map(async name => {
      const sql = await readFile(join(folder, name, "migration.sql"), "utf8");
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

async function findPending(client: PoolClient, migrations: Migration[]): Promise<Migration[]> {
  const { rows } = await client.query<{ name: string; checksum: string; finished: boolean }>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
     FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
  );
  const applied = new Map(rows.map(row => [row.name, row]));
  return migrations.filter(migration => {
    const row = applied.get(migration.name);
    if (!row) return true;
    if (!row.finished)
      throw new Error(`migration ${migration.name} has failed before: see _prisma_migrations`);
    if (row.checksum !== migration.checksum) {
      throw new Error(
        `migration ${migration.name} was changed after it had been applied: add a new one instead`,
      );
    }
    return false;
  });
}

async function apply(client: PoolClient, { name, sql, checksum }: Migration): Promise<void> {
  await client.query("BEGIN");
  try {
    await client.query(unlimited(sql));
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, clock_timestamp(), 1)`,
      [randomUUID(), checksum, name],
    );
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw new Error(`migration ${name} failed; nothing of it was kept`, { cause: error });
  }
}
