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
  err => log.warn({ err }, "database connection lost"),
);
try {
  const applied = await migrate(pool, join(process.cwd(), "prisma/migrations"), {
    onWait: wait => log.warn(wait, "migration waits for a lock; it tries again"),
  });
  const prisma = createPrisma(pool);
  const words = await seedReservedWords(prisma);
  const admin = await createFirstAdmin(prisma);
  log.info({ applied, words, firstAdmin: admin?.username }, "database migrated");
  // Not through the log, which may be collected: a person reads this, once.
  if (admin) {
    if (process.send) process.send({ firstAdmin: { username: admin.username, password: admin.password } });
    else process.stdout.write(firstAdminBlock(admin));
  }
} catch (err) {
  log.error({ err }, "database migration failed");
  process.exitCode = 1;
} finally {
  await pool.end();
  if (process.connected) process.disconnect();
}

function firstAdminBlock({ username, password }: { username: string; password: string }): string {
  return `
  The first administrator, shown once and stored as a hash:

    username  ${username}
    password  ${password}

`;
}
