import { resolve } from "node:path";
import { findDatabaseUrl } from "../runtime/database-url";
import { runGateLoad, total } from "./gate-load";
import { type LoadOptions, readLoadOptions, USAGE } from "./options";
import { runOrdersCommand } from "./orders-command";
import { runScenarioCommand } from "./scenario-command";

if (process.argv[2] === "orders") {
  await runOrdersCommand(process.argv.slice(2), process.env.FLOODGATE_TOKEN);
  process.exit();
}
if (process.argv[2] === "scenario") {
  await runScenarioCommand(process.argv.slice(2));
  process.exit();
}

/** `npm run load -- gate`: steady load on a server, and this side's own counts of it. */
const options = readOrExit();
const stopping = new AbortController();
process.once("SIGINT", () => stopping.abort());

console.log(
  `${options.rate} checks/s and ${options.signups} signups/s to ${options.url} for ${options.seconds} s; Ctrl-C ends it early`,
);
const report = await runGateLoad(options, stopping.signal, options.judge ? databaseUrlOrExit() : null);
console.table({
  checks: { "per second": report.checksPerSecond, total: total(report.checks), ...report.checks },
  signups: { "per second": report.signupsPerSecond, total: total(report.signups), ...report.signups },
});
console.log(`signups took ${report.signupP95Ms ?? "-"} ms at the 95th percentile, seen from here`);
if (report.heldBack > 0)
  console.log(`${report.heldBack} were not sent: too many answers were outstanding. The server is slower.`);
if (report.failed > 0) console.log(`${report.failed} got no answer.`);
if (report.refused > 0) console.log(adviceOnQuotas(options));
if (report.judgement) {
  const { judged, wrong, some } = report.judgement;
  console.log(
    `${judged} answers compared with the database: ${wrong} wrong${wrong ? ` (${some.join(", ")})` : ""}`,
  );
}
if (options.json) console.log(JSON.stringify(report));
const isWrong = (report.judgement?.wrong ?? 0) > 0;
process.exitCode =
  isWrong || report.refused > 0 || total(report.checks) + total(report.signups) === 0 ? 1 : 0;

function readOrExit(): LoadOptions {
  try {
    return readLoadOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    process.exit(2);
  }
}

function databaseUrlOrExit(): string {
  const folder = resolve(process.env.FLOODGATE_DATA_DIR ?? ".data");
  try {
    return process.env.DATABASE_URL ?? findDatabaseUrl(resolve(folder, "database-url"));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}

function adviceOnQuotas({ rate, signups }: LoadOptions): string {
  return `The server's quotas refuse one client so much (429), and the run has ended. Start the server with
  CHECKS_PER_MINUTE=${Math.max(60, Math.ceil(rate * 60 * 2))} SIGNUPS_PER_TEN_MINUTES=${Math.max(20, Math.ceil(signups * 600 * 2))} npm start
or with TRUSTED_PROXY_HOPS=1, and run this with --clients ${Math.max(1, Math.ceil(rate * 2))}.`;
}
