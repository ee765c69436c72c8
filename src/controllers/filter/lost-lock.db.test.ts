import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createEngines } from "../../filter/detect-engine";
import type { FilterEngine } from "../../filter/engine";
import { readVersion } from "../../filter/versions";
import { AdvisoryLock } from "../../store/advisory-lock";
import type { RedisClient } from "../../store/redis";
import { filterKey } from "../../store/redis-keys";
import { connect } from "../../testing/engine-contract";
import { makeVersion } from "../../testing/filter-state";
import { insertVersionRow } from "../../testing/rollout-state";
import { terminateBackends } from "../../testing/terminate-backends";
import { createTestDatabase, insertUsersBySql, type TestDatabase } from "../../testing/test-database";
import { startTestFilter } from "../../testing/test-gate";
import { TestRedis } from "../../testing/test-redis";
import { waitFor } from "../../testing/wait-for";
import { WorkerProcess } from "../../testing/worker-process";

const SHARD = 0x3f;

let database: TestDatabase;
let server: TestRedis;
let redis: RedisClient;
let bitmap: FilterEngine;
let undo: (() => Promise<unknown>)[];

beforeAll(async () => {
  server = await TestRedis.start();
});
afterAll(() => server.remove());
beforeEach(async () => {
  database = await createTestDatabase();
  await server.ask("FLUSHALL");
  redis = await connect(server.url);
  undo = [];
  bitmap = createEngines(redis).bitmap;
  await insertUsersBySql(database.pool, "name", 2_000);
  await makeVersion(database.pool, bitmap, { state: "active" });
});
afterEach(async () => {
  for (const step of undo) await step();
  redis.disconnect();
  await database.drop();
});

/** Whoever wants to read the table waits, until the test ends or `release` is called. */
async function block(table: "users" | "outbox"): Promise<{ release(): Promise<void> }> {
  const client = await database.pool.connect();
  await client.query("BEGIN");
  await client.query("SET LOCAL idle_in_transaction_session_timeout = 0");
  await client.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  let isBlocking = true;
  const release = async () => {
    if (!isBlocking) return;
    isBlocking = false;
    await client.query("ROLLBACK");
    client.release();
  };
  undo.unshift(release);
  return { release };
}

/** The sessions of this name that wait for a table. */
async function waitingFor(
  table: "users" | "outbox",
  applicationName = "floodgate rebuild",
): Promise<number[]> {
  const { rows } = await database.pool.query<{ pid: number }>(
    `SELECT DISTINCT pid FROM pg_locks JOIN pg_stat_activity USING (pid)
     WHERE NOT granted AND relation = $1::regclass AND application_name = $2`,
    [table, applicationName],
  );
  return rows.map(({ pid }) => pid);
}

const HOLDS_A_LOCK = `application_name = 'floodgate filter' AND EXISTS (
  SELECT FROM pg_locks l WHERE l.pid = pg_stat_activity.pid AND l.locktype = 'advisory')`;

describe("a filter worker whose lock is gone", () => {
  it.each<[string, () => Promise<unknown>]>([
    ["mends a shard", () => redis.unlink(filterKey(SHARD, 1))],
    ["builds a version", () => insertVersionRow(database.prisma, { version: 2, state: "building" })],
  ])("begins anew at once when it %s", async (_, giveWork) => {
    const filter = startTestFilter({ databaseUrl: database.url, redisUrl: server.url });
    undo.push(() => filter.stop());
    await waitFor("its half-minute look at the table", async () => {
      return (await readVersion(database.pool, 1))?.progress.fill !== undefined;
    });
    await block("users");
    await giveWork();
    await waitFor("it to read the table", async () => (await waitingFor("users")).length > 0);
    const first = await waitingFor("users");
    await terminateBackends(database.url, HOLDS_A_LOCK);
    // Postgres keeps the sessions of those who left until they get the table: the next try has one of its own.
    await waitFor("it to begin anew, with the lock", async () => {
      return (await waitingFor("users")).some(pid => !first.includes(pid));
    });
  });
});

describe("a filter worker that stands still", () => {
  it("loses its lock within 20 s, unlike one that only works, and seals nothing when it goes on", async () => {
    const busy = new AdvisoryLock(database.pool, "somebody else's work");
    undo.push(async () => busy.release());
    expect(await busy.acquire()).toBe(true);
    const outbox = await block("outbox");
    const urls = { DATABASE_URL: database.url, REDIS_URL: server.url };
    const worker = new WorkerProcess("filter", { ...urls, FILTER_TICK_MS: "50" });
    undo.unshift(() => worker.end("SIGKILL"));
    await redis.unlink(filterKey(SHARD, 1));
    const isCatchingUp = async () => (await waitingFor("outbox", "floodgate filter")).length > 0;
    await waitFor("it to mend the shard", isCatchingUp, 40_000);

    process.kill(worker.pid, "SIGSTOP");
    const next = new AdvisoryLock(database.pool, "floodgate filter watch");
    undo.push(async () => next.release());
    await waitFor("the lock to be free", () => next.acquire(), 20_000);
    expect(busy.holding().lost.aborted).toBe(false);
    await outbox.release();
    process.kill(worker.pid, "SIGCONT");

    await waitFor("it to be done", async () => /repaired|repair failed/.test(worker.output));
    const version = (await readVersion(database.pool, 1))!;
    expect(await bitmap.probe(version, SHARD)).toBe("open");
  });
});
