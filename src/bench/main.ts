import { z } from "zod";
import { printedHelp } from "../runtime/print-help";
import { flag, readOptions, UsageError } from "../runtime/read-options";
import { benchCheck } from "./bench-check";
import { benchIdle } from "./bench-idle";
import { benchOrders } from "./bench-orders";
import { benchRebuild } from "./bench-rebuild";
import { benchRelay } from "./bench-relay";
import { benchSignup } from "./bench-signup";
import { benchTelemetry } from "./bench-telemetry";
import { type BenchResult, printResult } from "./result";

/** `npm run bench -- check|signup|rebuild|relay|orders|telemetry|idle [--json]`: two sides, measured in turns, as ratios; `idle` has one. */
const BENCHES: Record<string, () => Promise<BenchResult>> = {
  check: benchCheck,
  rebuild: () => benchRebuild(process.env.REDIS_URL),
  signup: benchSignup,
  relay: benchRelay,
  orders: benchOrders,
  telemetry: benchTelemetry,
  idle: benchIdle,
};

const USAGE = `Usage: npm run bench -- [${Object.keys(BENCHES).join("|")}] [--json]`;

function readOrExit() {
  if (printedHelp(USAGE)) process.exit(0);
  try {
    const { options, positionals } = readOptions(process.argv.slice(2), z.object({ json: flag }), 10);
    const unknown = positionals.filter(name => !(name in BENCHES));
    if (unknown.length > 0) throw new UsageError(`There is no benchmark ${unknown.join(", ")}.`);
    return { json: options.json, names: positionals.length > 0 ? positionals : Object.keys(BENCHES) };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(2);
  }
}

const { json, names } = readOrExit();
let hasFailed = false;
for (const name of names) {
  try {
    printResult(await BENCHES[name]!(), json);
  } catch (error) {
    hasFailed = true;
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`\n${name}: no result. ${reason}`);
    if (json) console.log(JSON.stringify({ bench: name, failure: reason }));
  }
}
// Keep-alive timers would delay the end of the process.
process.exit(hasFailed ? 1 : 0);
