import { userInfo } from "node:os";
import { resolve } from "node:path";
import { z } from "zod";
import { findDatabaseUrl } from "../runtime/database-url";
import { printedHelp } from "../runtime/print-help";
import { readEnv } from "../runtime/read-env";
import { UsageError } from "../runtime/read-options";
import { UNGUARDED } from "../store/owner-guard";
import { createPool, createPrisma } from "../store/postgres";
import { createRedis, redisIsReady } from "../store/redis";
import { runRedisOwnerCommand, USAGE } from "./redis-owner-command";

const env = z.object({
  DATABASE_URL: z.url().optional().describe("the PostgreSQL URL, or leave it out while `npm start` runs"),
  REDIS_URL: z.string().min(1).describe("the Redis URL of the processes"),
  FLOODGATE_DATA_DIR: z.string().optional(),
});

/** The main of `npm run redis-owner`: shows whose Redis it is, and takes it over. */
async function main(): Promise<void> {
  if (printedHelp(USAGE)) return;
  const { DATABASE_URL, REDIS_URL, FLOODGATE_DATA_DIR } = readEnv(env, process.env);
  const url = DATABASE_URL ?? findDatabaseUrl(resolve(FLOODGATE_DATA_DIR ?? ".data", "database-url"));
  const applicationName = "floodgate redis-owner";
  const limits = { maxConnections: 2, connectTimeoutMs: 5_000, statementTimeoutMs: 15_000 };
  const pool = createPool({ url, applicationName, ...limits }, () => {});
  const settings = { url: REDIS_URL, connectionName: "floodgate-owner", commandTimeoutMs: 5_000 };
  const redis = createRedis({ ...settings, guard: UNGUARDED }, () => {});
  try {
    if (!(await redisIsReady(redis, 5_000))) throw new Error("Redis does not answer. Check REDIS_URL.");
    const deps = { pool, prisma: createPrisma(pool), redis, operator: userInfo().username };
    process.stdout.write(await runRedisOwnerCommand(deps, process.argv.slice(2)));
  } finally {
    redis.disconnect();
    await pool.end();
  }
}

main().catch((error: unknown) => {
  process.exitCode = error instanceof UsageError ? 2 : 1;
  if (error instanceof UsageError) console.error(`${error.message}\n\n${USAGE}`);
  else console.error(error instanceof Error ? error.message : error);
});
