import { randomUUID } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { createPool, createPrisma, type Pool, type PrismaClient } from "../store/postgres";

export type TestDatabase = { url: string; pool: Pool; prisma: PrismaClient; drop(): Promise<void> };

/** A migrated database of the test file's own, cloned from the template. */
export async function createTestDatabase(maxConnections = 10): Promise<TestDatabase> {
  const server = inject("postgresUrl");
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await runSql(server, `CREATE DATABASE ${name} TEMPLATE ${inject("templateName")}`);
  const url = new URL(`/${name}`, server).href;
  const pool = createPool(
    { url, applicationName: "test", maxConnections, connectTimeoutMs: 10_000, statementTimeoutMs: 20_000 },
    () => {},
  );
  return {
    url,
    pool,
    prisma: createPrisma(pool),
    async drop() {
      await pool.end();
      await runSql(server, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

export async function runSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** A user as plain SQL writes one: another service, an import. The key is taken as it is. */
export async function insertUserBySql(pool: Pool | pg.PoolClient, key: string): Promise<void> {
  await pool.query(
    `INSERT INTO users (username, username_key, username_skeleton, policy_version, email, name)
     VALUES ($1, $1, $1, 1, $1 || '@example.com', $1)`,
    [key],
  );
}

/** `count` users in one statement: prefix0, prefix1, … */
export async function insertUsersBySql(pool: Pool, prefix: string, count: number): Promise<string[]> {
  await pool.query(
    `INSERT INTO users (username, username_key, username_skeleton, policy_version, email, name)
     SELECT n, n, n, 1, n || '@example.com', n FROM (SELECT $1 || i AS n FROM generate_series(0, $2 - 1) i) names`,
    [prefix, count],
  );
  return Array.from({ length: count }, (_, i) => `${prefix}${i}`);
}
