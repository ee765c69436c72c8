import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { createPool, type Pool } from "../store/postgres";
import { runSql } from "./test-database";

export type EmptyDatabase = { url: string; pool: Pool; drop(): Promise<void> };

/** A database without a single table of ours. */
export async function createEmptyDatabase(statementTimeoutMs = 20_000): Promise<EmptyDatabase> {
  const server = inject("postgresUrl");
  const name = `empty_${randomUUID().replaceAll("-", "")}`;
  await runSql(server, `CREATE DATABASE ${name} TEMPLATE template0`);
  const url = new URL(`/${name}`, server).href;
  const pool = createPool(
    { url, applicationName: "test", maxConnections: 4, connectTimeoutMs: 10_000, statementTimeoutMs },
    () => {},
  );
  return {
    url,
    pool,
    async drop() {
      await pool.end();
      await runSql(server, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}
