import { userInfo } from "node:os";
import { resolve } from "node:path";
import { findDatabaseUrl } from "../runtime/database-url";
import { printedHelp } from "../runtime/print-help";
import { readEnv } from "../runtime/read-env";
import { UsageError } from "../runtime/read-options";
import { isPassing } from "../store/database-error";
import { createPool, createPrisma } from "../store/postgres";
import { userEnv } from "./user-command";
import { runUsersCommand, USAGE } from "./users-command";

/** The main of `npm run users`: work on the whole table of users. */
async function main(): Promise<void> {
  if (printedHelp(USAGE)) return;
  const { DATABASE_URL, FLOODGATE_DATA_DIR } = readEnv(userEnv, process.env);
  const url = DATABASE_URL ?? findDatabaseUrl(resolve(FLOODGATE_DATA_DIR ?? ".data", "database-url"));
  const limits = { maxConnections: 2, connectTimeoutMs: 5_000, statementTimeoutMs: 15_000 };
  const pool = createPool({ url, applicationName: "floodgate users", ...limits }, () => {});
  try {
    const print = (text: string) => void process.stdout.write(text);
    const deps = { pool, prisma: createPrisma(pool), operator: userInfo().username, print };
    process.exitCode = await runUsersCommand(deps, process.argv.slice(2));
  } finally {
    await pool.end();
  }
}

main().catch((error: unknown) => {
  process.exitCode = 2;
  if (error instanceof UsageError) console.error(`${error.message}\n\n${USAGE}`);
  else if (isPassing(error))
    console.error("The database does not answer. Start Floodgate with `npm start`, or check DATABASE_URL.");
  else console.error(error instanceof Error ? error.message : error);
});
