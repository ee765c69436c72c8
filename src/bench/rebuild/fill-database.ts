import { join } from "node:path";
import { migrate } from "../../store/migrate";
import { createPool } from "../../store/postgres";
import { type BenchFixture, ROOT } from "../bench-fixture";

/**
 * A database with so many users: real columns, no indexes and no log, which a COPY does not read and
 * which would take most of the time. Names have 7 to 24 bytes.
 * @returns its URL
 */
export async function fillDatabase(fixture: BenchFixture, rows: number): Promise<string> {
  const name = `rebuild_${rows}`;
  await fixture.pool.query(`CREATE DATABASE ${name}`);
  const url = new URL(`/${name}`, fixture.databaseUrl).href;
  const settings = { applicationName: "bench", maxConnections: 1, connectTimeoutMs: 10_000 };
  const pool = createPool({ url, ...settings, statementTimeoutMs: 1_800_000 }, () => {});
  try {
    await migrate(pool, join(ROOT, "prisma/migrations"));
    await pool.query("CREATE UNLOGGED TABLE filled (LIKE users INCLUDING DEFAULTS)");
    await pool.query("DROP TABLE users CASCADE");
    await pool.query("ALTER TABLE filled RENAME TO users");
    await pool.query(
      `INSERT INTO users (username, username_key, username_skeleton, policy_version, email, name)
       SELECT n, n, n, 1, n || '@example.com', n
       FROM (SELECT left(md5(i::text), 5 + i % 11) || '.' || i AS n FROM generate_series(0, $1::int - 1) i) names`,
      [rows],
    );
    // Postgres writes hint bits now, not at the first read.
    await pool.query("VACUUM (FREEZE, ANALYZE) users");
  } finally {
    await pool.end();
  }
  return url;
}
