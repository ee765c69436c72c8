import { userInfo } from "node:os";
import { resolve } from "node:path";
import { findDatabaseUrl } from "../runtime/database-url";
import { printedHelp } from "../runtime/print-help";
import { readEnv } from "../runtime/read-env";
import { UsageError } from "../runtime/read-options";
import { isPassing } from "../store/database-error";
import { createPool, createPrisma } from "../store/postgres";
import { runUserCommand, USAGE, userEnv } from "./user-command";

/** The main of `npm run user`: creates and changes staff accounts in the database. */
async function main(): Promise<void> {
  if (printedHelp(USAGE)) return;
  const env = readEnv(userEnv, process.env);
  const folder = resolve(env.FLOODGATE_DATA_DIR ?? ".data");
  const pool = createPool(
    {
      url: env.DATABASE_URL ?? findDatabaseUrl(resolve(folder, "database-url")),
      applicationName: "floodgate user",
      maxConnections: 2,
      connectTimeoutMs: 5_000,
      statementTimeoutMs: 15_000,
    },
    () => {},
  );
  try {
    process.stdout.write(
      await runUserCommand(createPrisma(pool), userInfo().username, process.argv.slice(2)),
    );
  } finally {
    await pool.end();
  }
}

main().catch((error: unknown) => {
  process.exitCode = 1;
  if (error instanceof UsageError) console.error(`${error.message}\n\n${USAGE}`);
  else if (isPassing(error))
    console.error("The database does not answer. Start Floodgate with `npm start`, or check DATABASE_URL.");
  else if (error instanceof Error) console.error(error.message);
  else console.error(error);
});
