import { readEnv } from "../runtime/read-env";
import { type Api, apiEnv, createApi } from "./api-client";
import { UsageError } from "./command-errors";
import { exitCodeOf } from "./exit-code-of";

/** The main of a command: prints what it resolves to as JSON, and says by the exit code how it went. */
export async function runCommand(
  run: (api: Api, argv: string[]) => Promise<unknown>,
  usage: string,
): Promise<void> {
  try {
    const api = createApi(readEnv(apiEnv, process.env));
    console.log(JSON.stringify(await run(api, process.argv.slice(2)), null, 2));
  } catch (error) {
    process.exitCode = exitCodeOf(error);
    if (error instanceof UsageError) console.error(`${error.message}\n\n${usage}`);
    else console.error(error instanceof Error ? error.message : error);
  }
}
