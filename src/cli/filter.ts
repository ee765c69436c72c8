import { readEnv } from "../runtime/read-env";
import { exitCodeOf } from "./exit-code-of";
import { createApi, filterCommandEnv, runFilterCommand, USAGE, UsageError } from "./filter-command";

/** The main of `npm run filter`: drives the filter's versions from scripts, over the API. */
async function main(): Promise<void> {
  const api = createApi(readEnv(filterCommandEnv, process.env));
  console.log(JSON.stringify(await runFilterCommand(api, process.argv.slice(2)), null, 2));
}

main().catch((error: unknown) => {
  process.exitCode = exitCodeOf(error);
  if (error instanceof UsageError) console.error(`${error.message}\n\n${USAGE}`);
  else console.error(error instanceof Error ? error.message : error);
});
