import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { requireRedis } from "../runtime/embedded/install-redis";
import { startEmbedded } from "../runtime/embedded/start-embedded";
import { seedReservedWords } from "../services/reserved-words/reserved-words";
import { migrate } from "../store/migrate";
import { createPool, createPrisma } from "../store/postgres";
import { runSql } from "./test-database";

declare module "vitest" {
  interface ProvidedContext {
    /** Of the server that holds the template; each test file clones a database of its own. */
    postgresUrl: string;
    templateName: string;
    redisCommand: string;
  }
}

const TEMPLATE = "floodgate_template";

/** One Postgres for the whole run, with a migrated template; test files start Redis servers of their own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), "floodgate-test-"));
  const embedded = await startEmbedded({ dataDir, needPostgres: true, needRedis: false, log: () => {} });
  const postgresUrl = embedded.databaseUrl!;
  await runSql(postgresUrl, `CREATE DATABASE ${TEMPLATE}`);
  const pool = createPool(
    {
      url: new URL(`/${TEMPLATE}`, postgresUrl).href,
      applicationName: "test setup",
      maxConnections: 2,
      connectTimeoutMs: 10_000,
      statementTimeoutMs: 30_000,
    },
    () => {},
  );
  await migrate(pool, join(import.meta.dirname, "../../prisma/migrations"));
  await seedReservedWords(createPrisma(pool));
  await pool.end();

  project.provide("postgresUrl", postgresUrl);
  project.provide("templateName", TEMPLATE);
  project.provide("redisCommand", await requireRedis(() => {}));
  return async () => {
    await embedded.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
