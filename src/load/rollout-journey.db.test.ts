import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createApi } from "../cli/api-client";
import { runFilterCommand } from "../cli/filter-command";
import { createEngines } from "../filter/detect-engine";
import { liveVersions } from "../filter/versions";
import { committedNames, namesNotIn } from "../testing/filter-state";
import { TestGate } from "../testing/server-gate";
import { insertToken } from "../testing/staff";
import { insertUserBySql } from "../testing/test-database";
import { connect } from "../testing/test-redis";
import { waitFor } from "../testing/wait-for";
import { runGateLoad } from "./gate-load";
import { readGateOptions } from "./options";

const QUOTAS = { CHECKS_PER_MINUTE: 1_000_000, SIGNUPS_PER_TEN_MINUTES: 1_000_000 };
const STILL_WRITING_MS = 300;

let gate: TestGate;

beforeAll(async () => {
  gate = await TestGate.start({ server: QUOTAS });
});
afterAll(() => gate.stop());

async function apiOfOperator() {
  const secret = await insertToken(gate.database.prisma, { role: "operator" });
  return createApi({ FLOODGATE_URL: gate.server.url, FLOODGATE_TOKEN: secret });
}

it("rebuild, canary, promote, roll back, promote again and retire, under signups, checks and a second writer", async () => {
  const api = await apiOfOperator();
  const run = (...argv: string[]) => runFilterCommand(api, argv);
  const stopping = new AbortController();
  const options = readGateOptions([
    "--url",
    gate.server.url,
    "--rate",
    "60",
    "--signups",
    "3",
    "--seconds",
    "600",
    "--taken",
    "0.5",
  ]);
  const load = runGateLoad(options, stopping.signal, gate.database.url);
  let [writing, written] = [true, 0];
  // Another service, which knows nothing of the application.
  const writer = (async () => {
    for (; writing; written += 1) {
      await insertUserBySql(gate.database.pool, `other-service-${written}`);
      await sleep(20);
    }
  })();

  await run("rebuild", "--capacity", "20000", "--confirm-unknown-room", "--wait");
  await run("traffic", "2", "--shadow", "100", "--canary", "50");
  await waitFor(
    "the gates",
    async () => {
      const { versions } = await api.filter.status.query();
      return versions[0]!.gates.every(gate => gate.verdict === "pass");
    },
    60_000,
  );
  expect(await run("promote", "2")).toMatchObject({ active: 2 });
  await sleep(STILL_WRITING_MS);
  expect(await run("rollback")).toMatchObject({ active: 1 });
  await sleep(STILL_WRITING_MS);
  expect(await run("promote", "2")).toMatchObject({ active: 2 });
  await sleep(STILL_WRITING_MS);
  const live = await liveVersions(gate.database.pool);
  expect(live.map(({ version, state }) => `v${version} ${state}`)).toEqual(["v1 previous", "v2 active"]);

  writing = false;
  await writer;
  stopping.abort();
  const report = await load;
  await gate.delivered();
  console.log(JSON.stringify({ ...report, written }));
  expect(report.comparison).toMatchObject({ wrong: 0, examples: [] });
  expect(report.comparison!.compared).toBeGreaterThan(300);
  expect({ failed: report.failed, refused: report.refused }).toEqual({ failed: 0, refused: 0 });
  expect(Object.keys(report.checks).sort()).toEqual(["available", "taken"]);
  expect(Object.keys(report.signups)).toEqual(["created"]);

  const redis = await connect(gate.redis.url);
  const names = await committedNames(gate.database.pool);
  for (const version of live) {
    expect((await namesNotIn(createEngines(redis)[version.engine], version, names)).slice(0, 5)).toEqual([]);
  }
  expect(await run("retire", "1", "--wait")).toMatchObject({ state: "retired" });
  expect(await redis.keys("bf:usernames:*:v1")).toEqual([]);
  await expect(run("rollback")).rejects.toThrow(/was retired/);
  redis.disconnect();
});
