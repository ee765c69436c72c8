import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Api } from "./api-client";
import { FailedError, LateError, UsageError } from "./command-errors";

export const USAGE = `Usage: npm run filter -- <command>      (JSON on stdout)

  status                                    every version, its gates, and what readers follow
  plan     --capacity <names> [--error-rate <rate>] [--engine redisbloom|bitmap]
  rebuild  --capacity <names> [--error-rate <rate>] [--engine …] [--wait]
  verify   <version> [--every-row] [--wait]
  traffic  <version> --shadow <per cent> --canary <per cent>
  promote  <version> [--waive shadow]       waits until readers follow
  rollback                                  waits until readers follow
  retire   <version> [--wait]
  cancel   <version> [--wait]

  --reason <text>    why, for the audit log

Environment: FLOODGATE_URL (http://localhost:3000), FLOODGATE_TOKEN (a service token of the console).
Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 no answer in time.
`;

const POLL_MS = 250;
/** Readers follow within a second; the worker may have been busy. */
const FOLLOW_TIMEOUT_MS = 15_000;
const WORK_TIMEOUT_MS = 6 * 60 * 60_000;

/** Runs one command; resolves to what is printed as JSON. @throws UsageError | FailedError | LateError | TRPCClientError */
export async function runFilterCommand(api: Api, argv: string[]): Promise<unknown> {
  const { values, positionals } = parse(argv);
  const [command, versionText] = positionals;
  const reason = values.reason ?? "on the command line";
  const version = () => readVersion(versionText);
  const revision = async () => (await api.filter.status.query()).revision;

  switch (command) {
    case "status":
      return api.filter.status.query();
    case "plan":
      return api.filter.plan.query(readRequest(values));
    case "rebuild": {
      const made = await api.filter.rebuild.mutate({ ...readRequest(values), reason });
      return values.wait ? waitForState(api, made.version, ["ready", "active"], WORK_TIMEOUT_MS) : made;
    }
    case "verify": {
      const scope = values["every-row"] ? ("every-row" as const) : ("sample" as const);
      const before = (await find(api, version()))?.report?.finishedAt;
      await api.filter.verify.mutate({ version: version(), scope, reason });
      return values.wait ? waitForReport(api, version(), before) : { version: version(), verifying: scope };
    }
    case "traffic": {
      const traffic = {
        shadowPercent: readPercent(values.shadow),
        canaryPercent: readPercent(values.canary),
      };
      return api.filter.setTraffic.mutate({
        version: version(),
        ...traffic,
        revision: await revision(),
        reason,
      });
    }
    case "promote": {
      const waive = values.waive === undefined ? [] : [readWaived(values.waive)];
      const asked = { version: version(), revision: await revision(), waive, reason };
      const { outcome } = await api.filter.promote.mutate(asked);
      return outcome === "approved" ? { outcome } : waitUntilFollowed(api, version());
    }
    case "rollback": {
      const { active } = await api.filter.rollback.mutate({ revision: await revision(), reason });
      return waitUntilFollowed(api, active);
    }
    case "retire":
      await api.filter.retire.mutate({ version: version(), revision: await revision(), reason });
      return values.wait
        ? waitForState(api, version(), ["retired"], WORK_TIMEOUT_MS)
        : { version: version() };
    case "cancel":
      await api.filter.cancel.mutate({ version: version(), reason });
      return values.wait
        ? waitForState(api, version(), ["cancelled"], WORK_TIMEOUT_MS)
        : { version: version() };
    default:
      throw new UsageError(command === undefined ? "Which command?" : `There is no command ${command}.`);
  }
}

function parse(argv: string[]) {
  const text = { type: "string" as const };
  const flag = { type: "boolean" as const };
  const options = {
    capacity: text,
    "error-rate": text,
    engine: text,
    shadow: text,
    canary: text,
    waive: text,
    reason: text,
    wait: flag,
    "every-row": flag,
  };
  try {
    return parseArgs({ args: argv, allowPositionals: true, options });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function readVersion(text: string | undefined): number {
  const version = Number(text?.replace(/^v/, ""));
  if (Number.isInteger(version) && version > 0) return version;
  throw new UsageError("Which version? Such as 2 or v2.");
}

function readRequest(values: { capacity?: string; "error-rate"?: string; engine?: string }) {
  const capacity = Number(values.capacity?.replaceAll("_", ""));
  if (!Number.isInteger(capacity)) throw new UsageError("--capacity: how many names it is made for.");
  const errorRate = Number(values["error-rate"] ?? 0.01);
  if (Number.isNaN(errorRate)) throw new UsageError("--error-rate takes a number, such as 0.01.");
  return { capacity, errorRate, engine: readEngine(values.engine) };
}

function readEngine(text: string | undefined): "redisbloom" | "bitmap" | undefined {
  if (text === undefined || text === "redisbloom" || text === "bitmap") return text;
  throw new UsageError("--engine is redisbloom or bitmap.");
}

function readPercent(text: string | undefined): number {
  const percent = Number(text);
  if (text !== undefined && percent >= 0 && percent <= 100) return percent;
  throw new UsageError("--shadow and --canary take per cents, from 0 to 100.");
}

function readWaived(text: string): "shadow" {
  if (text === "shadow") return text;
  throw new UsageError("Only the gate shadow may be waived, and only while it has no data.");
}

async function find(api: Api, version: number) {
  return (await api.filter.status.query()).versions.find(one => one.version === version);
}

/** What another server read a moment ago may not know the version, or its new state, yet. */
async function waitForState(api: Api, version: number, wanted: string[], timeoutMs: number) {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await sleep(POLL_MS)) {
    const found = await find(api, version);
    if (!found) continue;
    if (wanted.includes(found.state)) return found;
    if (found.state === "failed" || found.state === "cancelled") {
      throw new FailedError(`v${version} ${found.state}: ${found.failure ?? "by an operator"}`);
    }
  }
  throw new LateError(`v${version} is not ${wanted.join(" or ")} yet.`);
}

async function waitForReport(api: Api, version: number, before: string | undefined) {
  for (const deadline = Date.now() + WORK_TIMEOUT_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    const found = await find(api, version);
    if (!found?.report || found.report.finishedAt === before) continue;
    const failed = found.gates.filter(gate => gate.verdict === "fail");
    if (failed.length > 0)
      throw new FailedError(failed.map(gate => `${gate.title}: ${gate.value}`).join("; "));
    return { version, report: found.report, gates: found.gates };
  }
  throw new LateError(`v${version} is not verified yet.`);
}

/** Every server that says what it follows must follow it. */
async function waitUntilFollowed(api: Api, version: number) {
  for (const deadline = Date.now() + FOLLOW_TIMEOUT_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    const { pointer, readers, versions } = await api.filter.status.query();
    const { switchedAt } = versions.find(one => one.version === version) ?? {};
    const follow = readers.every(reader => reader.version === version);
    if (pointer?.version === version && switchedAt && follow) return { active: version, readers, switchedAt };
  }
  throw new LateError(
    `v${version} is decided, but not every reader follows it yet. Does the filter worker run?`,
  );
}
