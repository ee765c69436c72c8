import { beforeEach, describe, expect, it } from "vitest";
import type { VersionState } from "../../domain/filter/filter-version";
import { failedLately, readVersion, setProgress } from "../../filter/versions";
import { cancelRebuild } from "../../services/filter/cancel-rebuild";
import { requestRebuild } from "../../services/filter/request-rebuild";
import { retireVersion } from "../../services/filter/retire-version";
import { redisIsReady } from "../../store/redis";
import { filterFixture } from "../../testing/filter-fixture";
import { makeVersion } from "../../testing/filter-state";
import { byOperator } from "../../testing/rollout-state";
import { terminateBackends } from "../../testing/terminate-backends";
import { insertUserBySql, insertUsersBySql } from "../../testing/test-database";
import { startTestFilter, startTestRelay } from "../../testing/test-gate";
import { waitFor } from "../../testing/wait-for";
import { WorkerProcess } from "../../testing/worker-process";

const NAMES = 5_000;
const OPERATOR = byOperator("mia");
const reason = "a test";

const fixture = filterFixture({ maxConnections: 20 });

beforeEach(async () => {
  await insertUsersBySql(fixture.pool, "name", NAMES);
  // Readers follow v1; the events of v2 must not affect it.
  await makeVersion(fixture.pool, fixture.bitmap, { state: "active" });
  const relay = startTestRelay(fixture.urls);
  fixture.onClose(() => relay.stop());
});

const startFilter = () => startTestFilter(fixture.urls);
const stateOf = async (version: number) => (await readVersion(fixture.pool, version))?.state;
const until = (version: number, state: VersionState) =>
  waitFor(`v${version} to be ${state}`, async () => (await stateOf(version)) === state, 30_000);
const request = (capacity = 50_000) =>
  requestRebuild(fixture.prisma, OPERATOR, { capacity, errorRate: 0.01, engine: "bitmap", reason });
const keysOf = (version: number) => fixture.redis.keys(`bf:usernames:*:v${version}`);
const missingIn = async (version: number) =>
  fixture.missingNames((await readVersion(fixture.pool, version))!);

/** Waits until so many queries of this application wait for a table. */
function waitForLocks(applicationName: string, count: number): Promise<void> {
  return waitFor(
    `${applicationName} to wait for the table`,
    async () => {
      const { rowCount } = await fixture.pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
           AND application_name = $1`,
        [applicationName],
      );
      return rowCount !== null && rowCount >= count;
    },
    30_000,
  );
}

async function expectReadersUntouched(): Promise<void> {
  expect(await stateOf(1)).toBe("active");
  expect(await keysOf(1)).toHaveLength(256);
}

/** Blocks the COPY of v2, so that a test can interrupt it. */
async function blockCopy(startWorkerNow: () => void): Promise<{ release(): Promise<void> }> {
  await request();
  // Skips the dry run, which would read the locked table.
  await fixture.pool.query("UPDATE filter_versions SET state = 'building' WHERE version = 2");
  const users = await fixture.lockTable("users");
  startWorkerNow();
  await waitForLocks("floodgate rebuild", 1);
  return users;
}

function startWorker(): WorkerProcess {
  const { databaseUrl, redisUrl } = fixture.urls;
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, FILTER_TICK_MS: "50" };
  const worker = new WorkerProcess("filter", env);
  // The next test uses the same Redis, so a failed test must end its worker.
  fixture.onClose(() => worker.end("SIGKILL"));
  return worker;
}

describe("a filter worker that is killed with -9", () => {
  it("during the build: the next worker builds again, and no name is missing", async () => {
    let worker: WorkerProcess | undefined;
    const users = await blockCopy(() => {
      worker = startWorker();
    });
    await worker!.end("SIGKILL");
    expect(await stateOf(2)).toBe("building");
    await users.release();
    await insertUserBySql(fixture.pool, "meanwhile");
    const next = startFilter();
    await until(2, "ready");
    await next.stop();
    expect(await missingIn(2)).toEqual([]);
    await expectReadersUntouched();
  });

  it("during the catch-up: the next worker builds again, and no name is missing", async () => {
    const outbox = await fixture.lockTable("outbox");
    await request();
    const worker = startWorker();
    await until(2, "catching-up");
    await worker.end("SIGKILL");
    await outbox.release();
    const next = startFilter();
    await until(2, "ready");
    await next.stop();
    expect(await missingIn(2)).toEqual([]);
    await expectReadersUntouched();
  });

  it("during the verification: the next worker verifies again", async () => {
    await request();
    const first = startFilter();
    await until(2, "ready");
    await first.stop();
    // Back to verifying, and the table is locked now.
    await fixture.pool.query(
      "UPDATE filter_versions SET state = 'verifying', report = NULL WHERE version = 2",
    );
    const users = await fixture.lockTable("users");
    const worker = startWorker();
    // One query counts names for the fill sample, the other one is the verification.
    await waitForLocks("floodgate filter", 2);
    await worker.end("SIGKILL");
    expect(await stateOf(2)).toBe("verifying");
    await users.release();
    const next = startFilter();
    await until(2, "ready");
    await next.stop();
    expect(await missingIn(2)).toEqual([]);
    await expectReadersUntouched();
  });

  it("during the removal of keys: the next worker removes the remaining keys", async () => {
    await request();
    const first = startFilter();
    await until(2, "ready");
    await first.stop();
    await fixture.server.ask("CLIENT", "PAUSE", "2000", "WRITE");
    await cancelRebuild(fixture.prisma, OPERATOR, { version: 2, reason });
    const worker = startWorker();
    await waitFor("it to start", async () => worker.output.includes("filter worker started"), 20_000);
    await worker.end("SIGKILL");
    expect(await stateOf(2)).toBe("discarding");
    const next = startFilter();
    await until(2, "cancelled");
    await next.stop();
    expect(await keysOf(2)).toEqual([]);
    expect(await keysOf(1)).toHaveLength(256);
  });
});

describe("a rebuild", () => {
  const restartRedis = async () => {
    await fixture.server.kill();
    await fixture.server.run();
    await redisIsReady(fixture.redis, 20_000);
  };
  const failureOf = async (version: number) =>
    (await fixture.prisma.filterVersion.findUniqueOrThrow({ where: { version } })).failure;

  it("ends with the reason when Redis died during the catch-up, and only an operator starts the next one", async () => {
    const outbox = await fixture.lockTable("outbox");
    await request();
    const filter = startFilter();
    await until(2, "catching-up");
    await restartRedis();
    await outbox.release();
    await until(2, "failed");
    expect(await failureOf(2)).toMatch(/Redis restarted or failed over during the build.*request a rebuild/);
    expect(await keysOf(2)).toEqual([]);
    expect(await stateOf(1)).toBe("active");
    expect(await request()).toEqual({ version: 3 });
    await until(3, "ready");
    await filter.stop();
    expect(await missingIn(3)).toEqual([]);
  });

  it("is not resumed by the next worker when both it and Redis died", async () => {
    let worker: WorkerProcess | undefined;
    const users = await blockCopy(() => {
      worker = startWorker();
    });
    await worker!.end("SIGKILL");
    await restartRedis();
    await users.release();
    const next = startFilter();
    await until(2, "failed");
    await next.stop();
    expect(await failureOf(2)).toMatch(/Redis restarted or failed over during the build/);
  });

  it("is resumed when its worker and Redis were stopped, and started again", async () => {
    let filter: { stop(): Promise<void> } | undefined;
    const users = await blockCopy(() => {
      filter = startFilter();
    });
    // The stop waits for queries that wait for the table.
    const stopped = filter!.stop();
    await users.release();
    await stopped;
    expect(await stateOf(2)).toBe("building");
    await restartRedis();
    const next = startFilter();
    await until(2, "ready");
    await next.stop();
    expect(await missingIn(2)).toEqual([]);
  });

  it("without an operator: no version is requested automatically after Redis died of one", async () => {
    expect(await failedLately(fixture.pool)).toBe(false);
    await makeVersion(fixture.pool, fixture.bitmap, { state: "failed" });
    await fixture.pool.query(
      "UPDATE filter_versions SET state_at = now() - interval '1 day' WHERE version = 2",
    );
    expect(await failedLately(fixture.pool)).toBe(false);
    await setProgress(fixture.pool, 2, { redisDied: true });
    expect(await failedLately(fixture.pool)).toBe(true);
    // The operator's next request is the decision that was missing.
    await request();
    expect(await failedLately(fixture.pool)).toBe(false);
  });

  it("survives the loss of every Postgres connection during the COPY", async () => {
    let filter: { stop(): Promise<void> } | undefined;
    const users = await blockCopy(() => {
      filter = startFilter();
    });
    await terminateBackends(fixture.database.url, "application_name <> 'test'");
    await users.release();
    await until(2, "ready");
    await filter!.stop();
    expect(await missingIn(2)).toEqual([]);
  });

  it("stops within seconds when it is cancelled, leaves no key, and readers keep their version", async () => {
    let filter: { stop(): Promise<void> } | undefined;
    const users = await blockCopy(() => {
      filter = startFilter();
    });
    await cancelRebuild(fixture.prisma, OPERATOR, { version: 2, reason });
    const cancelledAt = performance.now();
    await until(2, "cancelled");
    console.log(`cancelled in ${Math.round(performance.now() - cancelledAt)} ms, the COPY still waiting`);
    await users.release();
    await filter!.stop();
    expect(await keysOf(2)).toEqual([]);
    expect(await stateOf(1)).toBe("active");
    expect(await keysOf(1)).toHaveLength(256);
  });

  it("fails with a reason when its shards are too small, and leaves no key", async () => {
    await request(1_000);
    const filter = startFilter();
    await until(2, "failed");
    await filter.stop();
    const { failure } = await fixture.prisma.filterVersion.findUniqueOrThrow({ where: { version: 2 } });
    expect(failure).toMatch(/larger capacity/);
    expect(await keysOf(2)).toEqual([]);
  });

  it("fails with a reason when Redis has no room", async () => {
    const used = Number(/used_memory:(\d+)/.exec(String(await fixture.server.ask("INFO", "memory")))?.[1]);
    await fixture.server.ask("CONFIG", "SET", "maxmemory", String(used + 2_000_000));
    try {
      await request(200_000_000);
      const filter = startFilter();
      await until(2, "failed");
      await filter.stop();
      const { failure } = await fixture.prisma.filterVersion.findUniqueOrThrow({ where: { version: 2 } });
      expect(failure).toMatch(/room|memory/i);
      expect(await keysOf(2)).toEqual([]);
      expect(await keysOf(1)).toHaveLength(256);
    } finally {
      await fixture.server.ask("CONFIG", "SET", "maxmemory", "0");
    }
  });
});

describe("retiring", () => {
  it("removes the keys of the retired version, and no other keys", async () => {
    await makeVersion(fixture.pool, fixture.bitmap, { state: "previous" });
    const { revision } = await fixture.prisma.filterRollout.findUniqueOrThrow({ where: { id: 1 } });
    await retireVersion(fixture.prisma, OPERATOR, { version: 2, revision: Number(revision), reason });
    const filter = startFilter();
    await until(2, "retired");
    await filter.stop();
    expect(await keysOf(2)).toEqual([]);
    expect(await keysOf(1)).toHaveLength(256);
  });
});
