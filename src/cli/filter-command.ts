import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { flag, numberOption, readOptions, UsageError, wholeNumberOption } from "../runtime/read-options";
import type { Api } from "./api-client";
import { FailedError, TimeoutError } from "./run-command";

export const USAGE = `Usage: npm run filter -- <command>      (prints JSON)

  status                                    all versions, their gates, and the version of each reader
  plan     --capacity <names> [--error-rate <rate>] [--engine redisbloom|bitmap]
  rebuild  --capacity <names> [--error-rate <rate>] [--engine redisbloom|bitmap] [--wait]
           [--confirm-unknown-room]         also when Redis has no memory limit of its own
  verify   <version> [--every-row] [--wait]
  traffic  <version> --shadow <percent> --canary <percent>
  promote  <version> [--waive shadow]       waits until all readers follow
  rollback                                  waits until all readers follow
  retire   <version> [--wait]
  cancel   <version> [--wait]

  --reason <text>    for the audit log

Environment: FLOODGATE_URL (http://localhost:3000), FLOODGATE_TOKEN (a service token of the console).
Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 no answer in time.
`;

const POLL_MS = 250;
/** Readers follow within a second; the filter worker may be busy for longer. */
const FOLLOW_TIMEOUT_MS = 15_000;
const WORK_TIMEOUT_MS = 6 * 60 * 60_000;

const OPTIONS = z.object({
  capacity: wholeNumberOption(1).optional(),
  "error-rate": numberOption(0, 1).default(0.01),
  engine: z.enum(["redisbloom", "bitmap"], "is not redisbloom or bitmap.").optional(),
  shadow: numberOption(0, 100).optional(),
  canary: numberOption(0, 100).optional(),
  waive: z.literal("shadow", "can't be waived. Only the gate shadow can, while it has no data.").optional(),
  reason: z.string().default("on the command line"),
  wait: flag,
  "confirm-unknown-room": flag,
  "every-row": flag,
});

type Call = { api: Api; options: z.output<typeof OPTIONS>; version: () => number };

const COMMANDS: Record<string, (call: Call) => Promise<unknown>> = {
  status: ({ api }) => api.filter.status.query(),
  plan: ({ api, options }) => api.filter.plan.query(readRequest(options)),
  rebuild,
  verify,
  traffic: setTraffic,
  promote,
  rollback,
  retire,
  cancel,
};

/** Runs one command; resolves to the JSON to print. @throws UsageError | FailedError | TimeoutError | TRPCClientError */
export async function runFilterCommand(api: Api, argv: string[]): Promise<unknown> {
  const { options, positionals } = readOptions(argv, OPTIONS, 2);
  const [name = "", version] = positionals;
  const command = COMMANDS[name];
  if (!command) throw new UsageError(`Give one of the commands ${Object.keys(COMMANDS).join(", ")}.`);
  return command({ api, options, version: () => readVersion(version) });
}

async function rebuild({ api, options }: Call) {
  const { capacity, errorRate, engine } = readRequest(options);
  const made = await api.filter.rebuild.mutate({
    capacity,
    errorRate,
    engine,
    confirmUnknownRoom: options["confirm-unknown-room"],
    reason: options.reason,
  });
  return options.wait ? waitForState(api, made.version, ["ready", "active"]) : made;
}

async function verify({ api, options, version }: Call) {
  const scope = options["every-row"] ? ("every-row" as const) : ("sample" as const);
  const before = (await find(api, version()))?.report?.finishedAt;
  await api.filter.verify.mutate({ version: version(), scope, reason: options.reason });
  return options.wait ? waitForReport(api, version(), before) : { version: version(), verifying: scope };
}

async function setTraffic({ api, options, version }: Call) {
  const { shadow, canary, reason } = options;
  if (shadow === undefined || canary === undefined) {
    throw new UsageError("Give --shadow and --canary in percent, from 0 to 100.");
  }
  return api.filter.setTraffic.mutate({
    version: version(),
    shadowPercent: shadow,
    canaryPercent: canary,
    revision: await readRevision(api),
    reason,
  });
}

async function promote({ api, options, version }: Call) {
  const { waive, reason } = options;
  const { outcome } = await api.filter.promote.mutate({
    version: version(),
    revision: await readRevision(api),
    waive: waive ? [waive] : [],
    reason,
  });
  return outcome === "approved" ? { outcome } : waitUntilFollowed(api, version());
}

async function rollback({ api, options: { reason } }: Call) {
  const { active } = await api.filter.rollback.mutate({ revision: await readRevision(api), reason });
  return waitUntilFollowed(api, active);
}

async function retire({ api, options: { reason, wait }, version }: Call) {
  await api.filter.retire.mutate({ version: version(), revision: await readRevision(api), reason });
  return wait ? waitForState(api, version(), ["retired"]) : { version: version() };
}

async function cancel({ api, options: { reason, wait }, version }: Call) {
  await api.filter.cancel.mutate({ version: version(), reason });
  return wait ? waitForState(api, version(), ["cancelled"]) : { version: version() };
}

function readVersion(text: string | undefined): number {
  const version = Number(text?.replace(/^v/, ""));
  if (Number.isInteger(version) && version > 0) return version;
  throw new UsageError("Give a version, such as 2 or v2.");
}

function readRequest({ capacity, engine, "error-rate": errorRate }: Call["options"]) {
  if (capacity === undefined) throw new UsageError("Give --capacity, the number of names.");
  return { capacity, errorRate, engine };
}

async function readRevision(api: Api): Promise<number> {
  return (await api.filter.status.query()).revision;
}

async function find(api: Api, version: number) {
  return (await api.filter.status.query()).versions.find(one => one.version === version);
}

/** A server may answer with the versions of a moment ago, without the new version or state. */
async function waitForState(api: Api, version: number, wanted: string[]) {
  for (const deadline = Date.now() + WORK_TIMEOUT_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    const found = await find(api, version);
    if (!found) continue;
    if (wanted.includes(found.state)) return found;
    if (found.state === "failed" || found.state === "cancelled") {
      throw new FailedError(`v${version} ${found.state}: ${found.failure ?? "cancelled by an operator"}`);
    }
  }
  throw new TimeoutError(`v${version} is not ${wanted.join(" or ")} yet.`);
}

async function waitForReport(api: Api, version: number, before: string | undefined) {
  for (const deadline = Date.now() + WORK_TIMEOUT_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    const found = await find(api, version);
    if (!found?.report || found.report.finishedAt === before) continue;
    const failed = found.gates.filter(gate => gate.verdict === "fail");
    if (failed.length > 0) {
      throw new FailedError(failed.map(gate => `${gate.title}: ${gate.value}`).join("; "));
    }
    return { version, report: found.report, gates: found.gates };
  }
  throw new TimeoutError(`v${version} is not verified yet.`);
}

/** Waits until every server reports the version as the one that it follows. */
async function waitUntilFollowed(api: Api, version: number) {
  for (const deadline = Date.now() + FOLLOW_TIMEOUT_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    const { pointer, readers, versions } = await api.filter.status.query();
    const { switchedAt } = versions.find(one => one.version === version) ?? {};
    const follow = readers.every(reader => reader.version === version);
    if (pointer?.version === version && switchedAt && follow) return { active: version, readers, switchedAt };
  }
  throw new TimeoutError(
    `v${version} is active, but not every reader follows it yet. Check that the filter worker runs.`,
  );
}
