import { TRPCClientError } from "@trpc/client";
import { printedHelp } from "../runtime/print-help";
import { readEnv } from "../runtime/read-env";
import { UsageError } from "../runtime/read-options";
import { type Api, apiEnv, createApi } from "./api-client";

/** The server did the command, and its outcome is a failure. */
export class FailedError extends Error {}
/** The outcome was not known in time; the command may still succeed. */
export class TimeoutError extends Error {}

/** The main of a command: prints its result as JSON and sets the exit code. */
export async function runCommand(
  run: (api: Api, argv: string[]) => Promise<unknown>,
  usage: string,
): Promise<void> {
  if (printedHelp(usage)) return;
  try {
    const api = createApi(readEnv(apiEnv, process.env));
    console.log(JSON.stringify(await run(api, process.argv.slice(2)), null, 2));
  } catch (error) {
    process.exitCode = exitCodeOf(error);
    if (error instanceof UsageError) console.error(`${error.message}\n\n${usage}`);
    else console.error(error instanceof Error ? error.message : error);
  }
}

/** 1 refused or failed, 2 wrong usage, 3 no answer in time. */
export function exitCodeOf(error: unknown): 1 | 2 | 3 {
  if (error instanceof UsageError) return 2;
  const hasNoAnswer = error instanceof TRPCClientError && !error.data;
  return error instanceof TimeoutError || hasNoAnswer ? 3 : 1;
}
