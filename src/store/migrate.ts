import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { sqlStateOf } from "./database-error";
import { LockHolders } from "./lock-holders";
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

/** A migration has to wait for others; it goes on when they have ended their transactions. */
export type MigrationWait = { migration: string; waitedMs: number; holders: readonly string[] };

export type MigrateOptions = {
  /** Everybody who wants the table waits behind a migration that waits for its lock: no longer than this. */
  lockTimeoutMs?: number;
  /** Tries go on for so long. */
  patienceMs?: number;
  onWait?: (wait: MigrationWait) => void;
};

const LOCK_TIMEOUT_MS = 1_000;
const PATIENCE_MS = 10 * 60_000;
/** Between two tries, in which the waiting requests are served. */
const PAUSE_MS = 2_000;

/**
 * Applies prisma/migrations in order, each in a transaction with its own bookkeeping row. A migration that builds an
 * index CONCURRENTLY is that one statement, without a transaction.
 * @returns the names that were applied now
 * @throws when an applied migration was changed since, one failed half-way under Prisma, or a lock was held for too long
 */
export async function migrate(pool: Pool, folder: string, options: MigrateOptions = {}): Promise<string[]> {
  const migrations = await readMigrations(folder);
  const client = await pool.connect();
  try {
    await client.query("SET statement_timeout = 0");
    await client.query(unlimited("SELECT pg_advisory_lock($1)", [PRISMA_LOCK]));
    await client.query(BOOKKEEPING);
    const pending = await findPending(client, migrations);
    for (const migration of pending) await applyPatiently({ pool, client, migration, options });
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

type Applying = { pool: Pool; client: PoolClient; migration: Migration; options: MigrateOptions };

async function applyPatiently({ pool, client, migration, options }: Applying): Promise<void> {
  const { lockTimeoutMs = LOCK_TIMEOUT_MS, patienceMs = PATIENCE_MS, onWait = () => {} } = options;
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  const watch = new LockHolders(pool, rows[0]!.pid);
  const startedAt = performance.now();
  try {
    for (;;) {
      const failure = await (isConcurrent(migration)
        ? buildIndex(client, migration)
        : apply(client, migration, lockTimeoutMs)
      ).then(
        () => null,
        (error: unknown) => error,
      );
      if (failure === null) return;
      if (sqlStateOf(failure) !== LOCK_NOT_AVAILABLE) throw failed(migration, failure);
      const waitedMs = performance.now() - startedAt;
      const wait = { migration: migration.name, waitedMs, holders: watch.seen };
      if (waitedMs > patienceMs) throw heldUp(wait, failure);
      onWait(wait);
      await new Promise(resolve => setTimeout(resolve, Math.min(PAUSE_MS, patienceMs)));
    }
  } finally {
    await watch.stop();
  }
}

const LOCK_NOT_AVAILABLE = "55P03";

const failed = ({ name }: Migration, cause: unknown) =>
  new Error(`migration ${name} failed; nothing of it was kept`, { cause });

const heldUp = ({ migration, waitedMs, holders }: MigrationWait, cause: unknown) =>
  new Error(
    `migration ${migration} waited ${Math.round(waitedMs / 1_000)} s for a lock; nothing of it was kept. ` +
      `It is held by: ${holders.join("; ") || "unknown"}. End these transactions, then migrate again.`,
    { cause },
  );

async function apply(client: PoolClient, migration: Migration, lockTimeoutMs: number): Promise<void> {
  await client.query("BEGIN");
  try {
    await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
    await client.query(unlimited(migration.sql));
    await keepBooks(client, migration);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  }
}

async function keepBooks(client: PoolClient, { name, checksum }: Migration): Promise<void> {
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, clock_timestamp(), 1)`,
    [randomUUID(), checksum, name],
  );
}

const CONCURRENT = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS "?(\w+)"? ON [^;]+;?$/i;

const statementsOf = ({ sql }: Migration) =>
  sql
    .replace(/--[^\n]*/g, "")
    .replace(/\s+/g, " ")
    .trim();
const isConcurrent = (migration: Migration) => /\bCONCURRENTLY\b/i.test(statementsOf(migration));

/** It stops nobody, waits for transactions that are older, and leaves an invalid index when it is interrupted. */
async function buildIndex(client: PoolClient, migration: Migration): Promise<void> {
  const index = CONCURRENT.exec(statementsOf(migration))?.[1];
  if (index === undefined)
    throw new Error(
      "a migration with CONCURRENTLY is one CREATE INDEX CONCURRENTLY IF NOT EXISTS, alone in its file",
    );
  const { rowCount } = await client.query(
    "SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid",
    [index],
  );
  if (rowCount === 1) await client.query(unlimited(`DROP INDEX CONCURRENTLY "${index}"`));
  await client.query(unlimited(migration.sql));
  await keepBooks(client, migration);
}
