import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbedded } from "../runtime/embedded/start-embedded";
import { migrate } from "../store/migrate";
import { createPool, createPrisma, type Pool, type PrismaClient } from "../store/postgres";

export type MigratedPostgres = { url: string; pool: Pool; prisma: PrismaClient; stop(): Promise<void> };

/** A Postgres of the test file's own, as `npm start` runs it: for what belongs to the server and not to a database. */
export async function startMigratedPostgres(): Promise<MigratedPostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), "floodgate-postgres-"));
  const embedded = await startEmbedded({ dataDir, needPostgres: true, needRedis: false, log: () => {} });
  const url = embedded.databaseUrl!;
  const limits = { maxConnections: 4, connectTimeoutMs: 10_000, statementTimeoutMs: 30_000 };
  const pool = createPool({ url, applicationName: "test", ...limits }, () => {});
  await migrate(pool, join(import.meta.dirname, "../../prisma/migrations"));
  return {
    url,
    pool,
    prisma: createPrisma(pool),
    async stop() {
      await pool.end();
      await embedded.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
