import { resolve } from "node:path";
import { findDatabaseUrl } from "../runtime/database-url";
import { printedHelp } from "../runtime/print-help";
import { UsageError } from "../runtime/read-options";
import { type GateLoadReport, runGateLoad, total } from "./gate-load";
import {
  GATE_USAGE,
  type GateLoadOptions,
  ORDERS_USAGE,
  readGateOptions,
  readOrdersOptions,
  SCENARIO_USAGE,
} from "./options";
import { runOrdersLoad } from "./orders-load";
import { runScenarioCommand } from "./scenario-command";

/** `run` resolves to whether the load was served as it must be. */
type Load = { usage: string; run(args: string[]): Promise<boolean> };

const LOADS: Record<string, Load> = {
  gate: { usage: GATE_USAGE, run: runGate },
  orders: { usage: ORDERS_USAGE, run: runOrders },
  scenario: { usage: SCENARIO_USAGE, run: runScenarioCommand },
};

/** The main of `npm run load`. Exit codes: 0 done, 1 failed, 2 wrong usage. */
async function main(name: string | undefined, args: string[]): Promise<number> {
  const load = LOADS[name ?? ""];
  const usages = load ? [load.usage] : Object.values(LOADS).map(({ usage }) => usage);
  const usage = usages.join("\n\n");
  if (printedHelp(usage)) return 0;
  try {
    if (!load) throw new UsageError(`Give one of the loads ${Object.keys(LOADS).join(", ")}.`);
    return (await load.run(args)) ? 0 : 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    if (!(error instanceof UsageError)) return 1;
    console.error(`\n${usage}`);
    return 2;
  }
}

async function runGate(args: string[]): Promise<boolean> {
  const options = readGateOptions(args);
  const { url, rate, signups, seconds } = options;
  console.log(`${rate} checks/s and ${signups} signups/s to ${url} for ${seconds} s; Ctrl-C ends it early`);
  const report = await runGateLoad(options, endOnInterrupt(), options.compare ? databaseUrl() : null);
  printGateReport(report, options);
  const answered = total(report.checks) + total(report.signups);
  return answered > 0 && report.refused === 0 && (report.comparison?.wrong ?? 0) === 0;
}

/** Aborts at Ctrl-C: the run ends early and is still reported. */
function endOnInterrupt(): AbortSignal {
  const stopping = new AbortController();
  process.once("SIGINT", () => stopping.abort());
  return stopping.signal;
}

function databaseUrl(): string {
  const folder = resolve(process.env.FLOODGATE_DATA_DIR ?? ".data");
  return process.env.DATABASE_URL ?? findDatabaseUrl(resolve(folder, "database-url"));
}

function printGateReport(report: GateLoadReport, options: GateLoadOptions): void {
  const { checks, signups, notSent, failed, refused, comparison } = report;
  console.table({
    checks: { "per second": report.checksPerSecond, total: total(checks), ...checks },
    signups: { "per second": report.signupsPerSecond, total: total(signups), ...signups },
  });
  console.log(`sign-up latency, p95, measured by the client: ${report.signupP95Ms ?? "–"} ms`);
  if (notSent > 0) console.log(`${notSent} requests not sent: too many were outstanding.`);
  if (failed > 0) console.log(`${failed} requests without an answer.`);
  if (refused > 0) console.log(adviceOnQuotas(options));
  if (comparison) {
    const examples = comparison.wrong > 0 ? ` (${comparison.examples.join(", ")})` : "";
    console.log(
      `${comparison.compared} answers compared with the database: ${comparison.wrong} wrong${examples}`,
    );
  }
  if (options.json) console.log(JSON.stringify(report));
}

function adviceOnQuotas({ rate, signups }: GateLoadOptions): string {
  const checksPerMinute = Math.max(60, Math.ceil(rate * 60 * 2));
  const signupsPerTenMinutes = Math.max(20, Math.ceil(signups * 600 * 2));
  return `The quotas of the server have refused this client (429), and the run has ended. Start the server with
  CHECKS_PER_MINUTE=${checksPerMinute} SIGNUPS_PER_TEN_MINUTES=${signupsPerTenMinutes} npm start
or with TRUSTED_PROXY_HOPS=1, and run this with --clients ${Math.max(1, Math.ceil(rate * 2))}.`;
}

async function runOrders(args: string[]): Promise<boolean> {
  const options = readOrdersOptions(args);
  const token = process.env.FLOODGATE_TOKEN;
  if (!token) throw new UsageError("FLOODGATE_TOKEN is missing. Create a service token in the console.");
  const report = await runOrdersLoad(options, token, endOnInterrupt());
  console.log(JSON.stringify(report));
  return report.accepted > 0;
}

process.exit(await main(process.argv[2], process.argv.slice(3)));
