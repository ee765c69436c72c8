import { join } from "node:path";
import { z } from "zod";
import { createLogger } from "../runtime/logger";
import { readEnv } from "../runtime/read-env";
import { createFirstAdmin } from "../services/access/create-first-admin";
import { seedReservedWords } from "../services/reserved-words/reserved-words";
import { migrate } from "../store/migrate";
import { createPool, createPrisma } from "../store/postgres";

/** Brings the database up to date, once, and ends: run before servers and relays start. */
const env = readEnv(z.object({ DATABASE_URL: z.url().describe("the PostgreSQL URL") }), process.env);
const log = createLogger("migrate");
const pool = createPool(
  {
    url: env.DATABASE_URL,
    applicationName: "floodgate migrate",
    maxConnections: 2,
    connectTimeoutMs: 10_000,
    statementTimeoutMs: 60_000,
  },
  err => log.warn({ err }, "a database connection broke"),
);
try {
  const applied = await migrate(pool, join(process.cwd(), "prisma/migrations"));
  const prisma = createPrisma(pool);
  const words = await seedReservedWords(prisma);
  const admin = await createFirstAdmin(prisma);
  log.info({ applied, words, firstAdmin: admin?.username }, "the database is up to date");
  // Not through the log, which may be collected: this is for whoever sits here, once.
  if (admin) process.stdout.write(firstAdminBlock(admin));
} catch (err) {
  log.error({ err }, "the database could not be brought up to date");
  process.exitCode = 1;
} finally {
  await pool.end();
}

function firstAdminBlock({ username, password }: { username: string; password: string }): string {
  const rule = "=".repeat(64);
  return `
${rule}
  The first admin of this installation

    username  ${username}
    password  ${password}

  It is shown this once and stored as a hash only. Lost it?
  npm run user -- password ${username}
${rule}

`;
}
