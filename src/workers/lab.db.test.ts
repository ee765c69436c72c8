import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { KEY_CHOICES } from "../domain/lab/scenario";
import { runScenario } from "../scenario/run-scenario";
import { SANDBOX_TTL_MS } from "../scenario/sandbox";
import type { LabStatus } from "../services/lab/read-lab-status";
import { UNGUARDED } from "../store/owner-guard";
import { createRedis, type RedisClient, redisIsReady } from "../store/redis";
import { auditRows, StaffFixture } from "../testing/staff";
import { waitFor } from "../testing/wait-for";
import { WorkerProcess } from "../testing/worker-process";

let fixture: StaffFixture;
let redis: RedisClient;
let trader: { cookie: string };
let viewer: { cookie: string };

beforeAll(async () => {
  fixture = await StaffFixture.start();
  redis = createRedis(
    { url: fixture.redis.url, connectionName: "test", commandTimeoutMs: 5_000, guard: UNGUARDED },
    () => {},
  );
  await redisIsReady(redis, 5_000);
  for (const role of ["trader", "viewer"] as const) await fixture.insert(role, `the-${role}`);
  trader = { cookie: await fixture.cookieOf("the-trader") };
  viewer = { cookie: await fixture.cookieOf("the-viewer") };
});
afterAll(async () => {
  redis.disconnect();
  await fixture.stop();
});

function startLab(): WorkerProcess {
  const urls = { DATABASE_URL: fixture.database.url, REDIS_URL: fixture.redis.url };
  const lab = new WorkerProcess("lab", { ...urls, LOG_LEVEL: "warn" });
  onTestFinished(async () => void (await lab.end("SIGKILL")));
  return lab;
}

const start = (input: object, who = trader) => fixture.call("lab.run", input, who);
const status = async (): Promise<LabStatus> =>
  (await fixture.ask("lab.status", undefined, viewer)).json.result.data;
const sandboxKeys = () => redis.keys("orders:{lab-*");
const ended = (id: string, timeoutMs: number) =>
  waitFor(`run ${id} to end`, async () => (await status()).runs.some(run => run.id === id), timeoutMs);
const runOf = async (id: string) => (await status()).runs.find(run => run.id === id)!;
const idOf = (answer: Awaited<ReturnType<typeof start>>): string => answer.json.result.data.id;

const SMALL = { rate: 200, seconds: 4, shards: 2, producers: 2 };

describe("the scenario lab", () => {
  it.each([
    [{ rate: 99 }, "Orders per second: a whole number from 100 to 10,000."],
    [{ rate: 10_001 }, "Orders per second"],
    [{ rate: 200.5 }, "Orders per second"],
    [{ shards: 1 }, "Shards: a whole number from 2 to 10."],
    [{ shards: "5; DROP" }, "Shards"],
    [{ seconds: 600 }, "Seconds per scenario: a whole number from 4 to 20."],
    [{ symbol: "doge" }, "Symbols are 1 to 12 capital letters and digits."],
    [{ choices: [] }, "Choose a scenario."],
    [{ producers: 0 }, "Producers"],
    [{ seed: -1 }, "Seed"],
  ])("refuses %j in words", async (input, words) => {
    const { status: code, json } = await start(input);
    expect([code, json.error.message]).toEqual([400, expect.stringContaining(words)]);
  });

  it("may be viewed, but not started, by a viewer", async () => {
    expect((await start(SMALL, viewer)).status).toBe(403);
    expect(await status()).toEqual({ current: null, runs: [] });
  });

  it("reports a run that no worker claims", async () => {
    const id = idOf(await start(SMALL));
    await fixture.database.pool.query("UPDATE lab_runs SET lease_until = now() - interval '1 s'");
    await ended(id, 5_000);
    expect(await runOf(id)).toMatchObject({
      state: "failed",
      failure: expect.stringContaining("No lab worker"),
    });
  });

  it("runs the same traffic as the command line, with matching figures", {
    timeout: 180_000,
  }, async () => {
    const lab = startLab();
    // Shards that hash to one and to two, so that each scenario shows what it is about.
    const options = { symbol: "DOGE", rate: 2_100, seconds: 4, shards: 3, producers: 4, seed: 7 };
    const answer = await start(options);
    const id = idOf(answer);
    expect((await start(SMALL)).json.error.message).toBe(
      "the-trader's run is going on; the lab does one at a time.",
    );
    await waitFor(
      "progress",
      async () => ((await status()).current?.progress?.figures?.received ?? 0) > 0,
      20_000,
    );
    await ended(id, 90_000);
    await lab.end("SIGTERM");
    const run = await runOf(id);
    expect(run).toMatchObject({ state: "done", options, choices: KEY_CHOICES, failure: null });
    expect(await sandboxKeys()).toEqual([]);

    for (const choice of KEY_CHOICES) {
      const ours = await runScenario(redis, { choice, options, onError: console.error });
      const theirs = run.results[choice]!;
      expect(theirs.figures.sent, choice).toBe(ours.figures.sent);
      const [a, b] = [ours.result, theirs.result];
      expect(b.violations > 0, `${choice}: ${b.violations} violations`).toBe(a.violations > 0);
      expect(b.throttled > 0, `${choice}: ${b.throttled} throttled`).toBe(a.throttled > 0);
      expect([a.lost, b.lost], `${choice}: lost`).toEqual([0, 0]);
      expect(b.turnedAway, choice).toBeGreaterThanOrEqual(0);
      // How often a record is tried is a matter of moments, and so is a rate that no shard limits.
      expect(b.throttled).toBeGreaterThanOrEqual(a.throttled / 4);
      expect(b.throttled).toBeLessThanOrEqual(a.throttled * 4);
      if (a.throttled > 0)
        expect(Math.abs(b.capacityInShards - a.capacityInShards), choice).toBeLessThan(0.4);
      expect(Math.abs(b.busiestShardRatio - a.busiestShardRatio), choice).toBeLessThan(0.1);
    }
    expect(run.results.random!.result.violations).toBeGreaterThan(0);
    expect(run.results.hash!.result).toMatchObject({ violations: 0, busiestShardRatio: 1 });
    expect(run.results.splitPlanned!.result).toMatchObject({ violations: 0, throttled: 0 });

    const [row] = await auditRows(fixture.database.pool, "action = 'lab.run' AND outcome = 'ok'", 1);
    expect(row).toMatchObject({ actor_name: "the-trader", target: `lab:run ${id}`, after: { ...options } });
  });

  it("is cancelled within seconds, keeps its figures, and leaves no keys", {
    timeout: 60_000,
  }, async () => {
    startLab();
    const id = idOf(await start({ ...SMALL, seconds: 20, choices: ["splitPlanned"] }));
    await waitFor("its keys", async () => (await sandboxKeys()).length > 0, 20_000);
    expect((await fixture.call("lab.cancel", { run: id }, viewer)).status).toBe(403);
    expect((await fixture.call("lab.cancel", { run: id }, trader)).status).toBe(200);
    await ended(id, 10_000);
    expect(await runOf(id)).toMatchObject({
      state: "cancelled",
      cancelRequestedBy: "the-trader",
      results: {},
    });
    expect(await sandboxKeys()).toEqual([]);
    expect((await fixture.call("lab.cancel", { run: id }, trader)).status).toBe(409);
    expect((await fixture.call("lab.cancel", { run: "999999" }, trader)).status).toBe(404);
  });

  it("is killed: every key expires, and the next worker removes them at once", {
    timeout: 60_000,
  }, async () => {
    const lab = startLab();
    const id = idOf(await start({ ...SMALL, seconds: 20, choices: ["splitPlanned"] }));
    await waitFor(
      "figures",
      async () => ((await status()).current?.progress?.figures?.received ?? 0) > 0,
      20_000,
    );
    await lab.end("SIGKILL");
    const keys = await sandboxKeys();
    expect(keys.length).toBeGreaterThan(5);
    for (const key of keys) {
      const leftMs = await redis.pttl(key);
      expect(leftMs, key).toBeGreaterThan(0);
      expect(leftMs, key).toBeLessThanOrEqual(SANDBOX_TTL_MS);
    }
    expect((await start(SMALL)).status).toBe(409);
    await fixture.database.pool.query(
      "UPDATE lab_runs SET lease_until = now() - interval '1 s' WHERE id = $1",
      [id],
    );
    startLab();
    await ended(id, 10_000);
    expect((await runOf(id)).failure).toContain("worker stopped");
    await waitFor("no keys", async () => (await sandboxKeys()).length === 0, 10_000);
    const next = idOf(await start({ ...SMALL, choices: ["hash"] }));
    await ended(next, 20_000);
    expect(await runOf(next)).toMatchObject({ state: "done" });
  });

  it("keeps the last runs only", async () => {
    await fixture.database.pool.query(
      `INSERT INTO lab_runs (state, options, choices, requested_by, lease_until, ended_at)
       SELECT 'done', '{}', '{}', 'test', now(), now() FROM generate_series(1, 20)`,
    );
    startLab();
    await ended(idOf(await start({ ...SMALL, choices: ["hash"] })), 30_000);
    await waitFor("eight runs", async () => {
      const { rows } = await fixture.database.pool.query("SELECT count(*)::int AS count FROM lab_runs");
      return rows[0].count === 8;
    });
  }, 60_000);
});
