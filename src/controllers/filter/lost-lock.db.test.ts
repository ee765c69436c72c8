import { beforeEach, describe, expect, it } from "vitest";
import { readVersion } from "../../filter/versions";
import { AdvisoryLock } from "../../store/advisory-lock";
import { filterKey } from "../../store/redis-keys";
import { filterFixture } from "../../testing/filter-fixture";
import { makeVersion } from "../../testing/filter-state";
import { insertVersionRow } from "../../testing/rollout-state";
import { terminateBackends } from "../../testing/terminate-backends";
import { insertUsersBySql } from "../../testing/test-database";
import { startTestFilter } from "../../testing/test-gate";
import { waitFor } from "../../testing/wait-for";
import { WorkerProcess } from "../../testing/worker-process";

const SHARD = 0x3f;

const fixture = filterFixture();

beforeEach(async () => {
  await insertUsersBySql(fixture.pool, "name", 2_000);
  await makeVersion(fixture.pool, fixture.bitmap, { state: "active" });
});

/** The sessions of this name that wait for a table. */
async function waitingFor(
  table: "users" | "outbox",
  applicationName = "floodgate rebuild",
): Promise<number[]> {
  const { rows } = await fixture.pool.query<{ pid: number }>(
    `SELECT DISTINCT pid FROM pg_locks JOIN pg_stat_activity USING (pid)
     WHERE NOT granted AND relation = $1::regclass AND application_name = $2`,
    [table, applicationName],
  );
  return rows.map(({ pid }) => pid);
}

const HOLDS_A_LOCK = `application_name = 'floodgate filter' AND EXISTS (
  SELECT FROM pg_locks l WHERE l.pid = pg_stat_activity.pid AND l.locktype = 'advisory')`;

describe("a filter worker that loses its lock", () => {
  it.each<[string, () => Promise<unknown>]>([
    ["repairs a shard", () => fixture.redis.unlink(filterKey(SHARD, 1))],
    ["builds a version", () => insertVersionRow(fixture.prisma, { version: 2, state: "building" })],
  ])("starts again at once when it %s", async (_, giveWork) => {
    const filter = startTestFilter(fixture.urls);
    fixture.onClose(() => filter.stop());
    await waitFor("its first fill sample", async () => {
      return (await readVersion(fixture.pool, 1))?.progress.fill !== undefined;
    });
    await fixture.lockTable("users");
    await giveWork();
    await waitFor("it to read the table", async () => (await waitingFor("users")).length > 0);
    const first = await waitingFor("users");
    await terminateBackends(fixture.database.url, HOLDS_A_LOCK);
    // Postgres keeps the old sessions until they get the table; the next attempt has a new session.
    await waitFor("it to start again, with the lock", async () => {
      return (await waitingFor("users")).some(pid => !first.includes(pid));
    });
  });
});

describe("a filter worker that is stopped by a signal", () => {
  it("loses its lock within 20 s, unlike a busy worker, and seals no shard when it continues", async () => {
    const busy = new AdvisoryLock(fixture.pool, "another task");
    fixture.onClose(() => busy.release());
    expect(await busy.acquire()).toBe(true);
    const outbox = await fixture.lockTable("outbox");
    const { databaseUrl, redisUrl } = fixture.urls;
    const env = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, FILTER_TICK_MS: "50" };
    const worker = new WorkerProcess("filter", env);
    fixture.onClose(() => worker.end("SIGKILL"));
    await fixture.redis.unlink(filterKey(SHARD, 1));
    const isCatchingUp = async () => (await waitingFor("outbox", "floodgate filter")).length > 0;
    await waitFor("it to repair the shard", isCatchingUp, 40_000);

    process.kill(worker.pid, "SIGSTOP");
    const next = new AdvisoryLock(fixture.pool, "floodgate filter watch");
    fixture.onClose(() => next.release());
    await waitFor("the lock to be free", () => next.acquire(), 20_000);
    expect(busy.holding().lost.aborted).toBe(false);
    await outbox.release();
    process.kill(worker.pid, "SIGCONT");

    await waitFor("the end of the repair", async () => /repair finished|repair failed/.test(worker.output));
    const version = (await readVersion(fixture.pool, 1))!;
    expect(await fixture.bitmap.probe(version, SHARD)).toBe("open");
  });
});
