import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { VersionState } from "../../domain/filter/filter-version";
import { createEngines } from "../../filter/detect-engine";
import type { FilterEngine } from "../../filter/engine";
import { readVersion } from "../../filter/versions";
import { cancelRebuild } from "../../services/filter/cancel-rebuild";
import { requestRebuild } from "../../services/filter/request-rebuild";
import { retireVersion } from "../../services/filter/retire-version";
import type { PoolClient } from "../../store/postgres";
import { type RedisClient, redisIsReady } from "../../store/redis";
import { connect } from "../../testing/engine-contract";
import { committedNames, makeVersion, namesNotIn } from "../../testing/filter-state";
import { byOperator } from "../../testing/rollout-state";
import { terminateBackends } from "../../testing/terminate-backends";
import {
  createTestDatabase,
  insertUserBySql,
  insertUsersBySql,
  type TestDatabase,
} from "../../testing/test-database";
import { startTestFilter, startTestRelay } from "../../testing/test-gate";
import { TestRedis } from "../../testing/test-redis";
import { waitFor } from "../../testing/wait-for";
import { WorkerProcess } from "../../testing/worker-process";

const NAMES = 5_000;
const BY = byOperator("mia");
const reason = "a test";

let database: TestDatabase;
let server: TestRedis;
let redis: RedisClient;
let bitmap: FilterEngine;
let relay: { stop(): Promise<void> };

beforeAll(async () => {
  server = await TestRedis.start();
});
afterAll(() => server.remove());
beforeEach(async () => {
  database = await createTestDatabase(20);
  await server.ask("FLUSHALL");
  redis = await connect(server.url);
  bitmap = createEngines(redis).bitmap;
  await insertUsersBySql(database.pool, "name", NAMES);
  // Readers follow v1 all the time; nobody must notice what happens to v2.
  await makeVersion(database.pool, bitmap, { state: "active" });
  relay = startTestRelay({ databaseUrl: database.url, redisUrl: server.url });
});
afterEach(async () => {
  await relay.stop();
  redis.disconnect();
  await database.drop();
});

const urls = () => ({ databaseUrl: database.url, redisUrl: server.url });
const stateOf = async (version: number) => (await readVersion(database.pool, version))?.state;
const until = (version: number, state: VersionState) =>
  waitFor(`v${version} to be ${state}`, async () => (await stateOf(version)) === state, 30_000);
const request = (capacity = 50_000) =>
  requestRebuild(database.prisma, BY, { capacity, errorRate: 0.01, engine: "bitmap", reason });
const keysOf = (version: number) => redis.keys(`bf:usernames:*:v${version}`);
const missingIn = async (version: number) => {
  const stored = (await readVersion(database.pool, version))!;
  return (await namesNotIn(bitmap, stored, await committedNames(database.pool))).slice(0, 5);
};

/** Whoever wants to read or write the table waits, until `release` is called. */
async function block(table: "users" | "outbox"): Promise<{ release(): Promise<void> }> {
  const client: PoolClient = await database.pool.connect();
  await client.query("BEGIN");
  await client.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  return {
    async release() {
      await client.query("ROLLBACK");
      client.release();
    },
  };
}

/** Waits until so many queries of processes of this name wait for a table. */
function waitForLocks(applicationName: string, count: number): Promise<void> {
  return waitFor(
    `${applicationName} to wait for the table`,
    async () => {
      const { rowCount } = await database.pool.query(
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

/** Holds the COPY of v2 up, so that something can happen in the middle of it. */
async function holdInCopy(startWorkerNow: () => void): Promise<{ release(): Promise<void> }> {
  await request();
  // A worker has taken it: the dry run before that reads the table, too.
  await database.pool.query("UPDATE filter_versions SET state = 'building' WHERE version = 2");
  const users = await block("users");
  startWorkerNow();
  await waitForLocks("floodgate rebuild", 1);
  return users;
}

function startWorker(): WorkerProcess {
  const worker = new WorkerProcess("filter", {
    ...{ DATABASE_URL: database.url, REDIS_URL: server.url, FILTER_TICK_MS: "50" },
  });
  // A test that fails must not leave one behind, on a Redis that the next one uses.
  onTestFinished(async () => void (await worker.end("SIGKILL")));
  return worker;
}

describe("a filter worker that is killed with -9", () => {
  it("while it builds: the next one begins anew, and it becomes right", async () => {
    let worker: WorkerProcess | undefined;
    const users = await holdInCopy(() => {
      worker = startWorker();
    });
    await worker!.end("SIGKILL");
    expect(await stateOf(2)).toBe("building");
    await users.release();
    await insertUserBySql(database.pool, "meanwhile");
    const next = startTestFilter(urls());
    await until(2, "ready");
    await next.stop();
    expect(await missingIn(2)).toEqual([]);
    await expectReadersUntouched();
  });

  it("while it catches up", async () => {
    const outbox = await block("outbox");
    await request();
    const worker = startWorker();
    await until(2, "catching-up");
    await worker.end("SIGKILL");
    await outbox.release();
    const next = startTestFilter(urls());
    await until(2, "ready");
    await next.stop();
    expect(await missingIn(2)).toEqual([]);
    await expectReadersUntouched();
  });

  it("while it verifies", async () => {
    await request();
    const first = startTestFilter(urls());
    await until(2, "ready");
    await first.stop();
    // Back by one step, and this time the table cannot be read.
    await database.pool.query(
      "UPDATE filter_versions SET state = 'verifying', report = NULL WHERE version = 2",
    );
    const users = await block("users");
    const worker = startWorker();
    // One of them counts names for the forecast, the other one looks them up.
    await waitForLocks("floodgate filter", 2);
    await worker.end("SIGKILL");
    expect(await stateOf(2)).toBe("verifying");
    await users.release();
    const next = startTestFilter(urls());
    await until(2, "ready");
    await next.stop();
    expect(await missingIn(2)).toEqual([]);
    await expectReadersUntouched();
  });

  it("while it removes keys: nothing is left over in the end", async () => {
    await request();
    const first = startTestFilter(urls());
    await until(2, "ready");
    await first.stop();
    await server.ask("CLIENT", "PAUSE", "2000", "WRITE");
    await cancelRebuild(database.prisma, BY, { version: 2, reason });
    const worker = startWorker();
    await waitFor("it to have begun", async () => worker.output.includes("keeping the filter"), 20_000);
    await worker.end("SIGKILL");
    expect(await stateOf(2)).toBe("discarding");
    const next = startTestFilter(urls());
    await until(2, "cancelled");
    await next.stop();
    expect(await keysOf(2)).toEqual([]);
    expect(await keysOf(1)).toHaveLength(256);
  });
});

describe("a rebuild", () => {
  it("survives Redis killed in the middle", async () => {
    const outbox = await block("outbox");
    await request();
    const filter = startTestFilter(urls());
    await until(2, "catching-up");
    await server.kill();
    await outbox.release();
    await server.run();
    await redisIsReady(redis, 20_000);
    await until(2, "ready");
    await filter.stop();
    expect(await missingIn(2)).toEqual([]);
  });

  it("survives Postgres cutting every connection in the middle of the COPY", async () => {
    let filter: { stop(): Promise<void> } | undefined;
    const users = await holdInCopy(() => {
      filter = startTestFilter(urls());
    });
    await terminateBackends(database.url, "application_name <> 'test'");
    await users.release();
    await until(2, "ready");
    await filter!.stop();
    expect(await missingIn(2)).toEqual([]);
  });

  it("that is cancelled stops within seconds, leaves no key, and readers keep what they have", async () => {
    let filter: { stop(): Promise<void> } | undefined;
    const users = await holdInCopy(() => {
      filter = startTestFilter(urls());
    });
    await cancelRebuild(database.prisma, BY, { version: 2, reason });
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
    const filter = startTestFilter(urls());
    await until(2, "failed");
    await filter.stop();
    const { failure } = await database.prisma.filterVersion.findUniqueOrThrow({ where: { version: 2 } });
    expect(failure).toMatch(/larger capacity/);
    expect(await keysOf(2)).toEqual([]);
  });

  it("fails with a reason when Redis has no room", async () => {
    const used = Number(/used_memory:(\d+)/.exec(String(await server.ask("INFO", "memory")))?.[1]);
    await server.ask("CONFIG", "SET", "maxmemory", String(used + 2_000_000));
    try {
      await request(200_000_000);
      const filter = startTestFilter(urls());
      await until(2, "failed");
      await filter.stop();
      const { failure } = await database.prisma.filterVersion.findUniqueOrThrow({ where: { version: 2 } });
      expect(failure).toMatch(/room|memory/i);
      expect(await keysOf(2)).toEqual([]);
      expect(await keysOf(1)).toHaveLength(256);
    } finally {
      await server.ask("CONFIG", "SET", "maxmemory", "0");
    }
  });
});

describe("retiring", () => {
  it("takes the retired version's keys, and no other", async () => {
    await makeVersion(database.pool, bitmap, { state: "previous" });
    const { revision } = await database.prisma.filterRollout.findUniqueOrThrow({ where: { id: 1 } });
    await retireVersion(database.prisma, BY, { version: 2, revision: Number(revision), reason });
    const filter = startTestFilter(urls());
    await until(2, "retired");
    await filter.stop();
    expect(await keysOf(2)).toEqual([]);
    expect(await keysOf(1)).toHaveLength(256);
  });
});
