import { TRPCClientError } from "@trpc/client";
import { readEnv } from "../runtime/read-env";
import {
  createApi,
  FailedError,
  filterCommandEnv,
  LateError,
  runFilterCommand,
  USAGE,
  UsageError,
} from "./filter-command";

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

function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return 2;
  if (error instanceof LateError) return 3;
  const isUnanswered = error instanceof TRPCClientError && !error.data;
  return error instanceof FailedError || !isUnanswered ? 1 : 3;
}
