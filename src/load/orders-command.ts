import { runOrdersLoad } from "./orders-load";
import { ORDERS_USAGE, readOrdersOptions } from "./orders-options";

/** `npm run load -- orders`: a steady rate of one symbol's orders, and this side's counts of them. */
export async function runOrdersCommand(args: string[], token: string | undefined): Promise<void> {
  const stopping = new AbortController();
  process.once("SIGINT", () => stopping.abort());
  try {
    const options = readOrdersOptions(args);
    if (!token)
      throw new Error("FLOODGATE_TOKEN is missing: make a service token in the console under Tokens.");
    const report = await runOrdersLoad(options, token, stopping.signal);
    console.log(JSON.stringify(report));
    process.exitCode = report.accepted === 0 ? 1 : 0;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${ORDERS_USAGE}`);
    process.exitCode = 2;
  }
}
