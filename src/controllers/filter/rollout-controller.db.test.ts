import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createEngines } from "../../filter/detect-engine";
import type { FilterEngine } from "../../filter/engine";
import { readPointer } from "../../filter/pointer";
import { liveVersions } from "../../filter/versions";
import type { Pool } from "../../store/postgres";
import { type RedisClient, redisIsReady } from "../../store/redis";
import { FILTER_POINTER_KEY, filterKey } from "../../store/redis-keys";
import { connect } from "../../testing/engine-contract";
import { activeVersion, committedNames, namesNotIn, shardStates } from "../../testing/filter-state";
import { pendingEvents } from "../../testing/outbox-events";
import { terminateBackends } from "../../testing/terminate-backends";
import {
  createTestDatabase,
  insertUserBySql,
  insertUsersBySql,
  type TestDatabase,
} from "../../testing/test-database";
import { startTestFilter, startTestWorkers } from "../../testing/test-gate";
import { TestRedis } from "../../testing/test-redis";
import { waitFor } from "../../testing/wait-for";

let database: TestDatabase;
let pool: Pool;
let server: TestRedis;
let redis: RedisClient;
let bitmap: FilterEngine;

beforeAll(async () => {
  server = await TestRedis.start();
});
afterAll(() => server.remove());
beforeEach(async () => {
  database = await createTestDatabase();
  pool = database.pool;
  await server.ask("FLUSHALL");
  redis = await connect(server.url);
  bitmap = createEngines(redis).bitmap;
});
afterEach(async () => {
  redis.disconnect();
  await database.drop();
});

const urls = () => ({ databaseUrl: database.url, redisUrl: server.url });

/** Users whose events were delivered and purged long ago: only the table knows them. */
async function insertOldUsers(prefix: string, count: number): Promise<string[]> {
  const names = await insertUsersBySql(pool, prefix, count);
  await pool.query("DELETE FROM outbox");
  return names;
}

/** Committed names that the active version does not know; the first few. */
async function missingNow(): Promise<string[]> {
  const version = await activeVersion(pool);
  if (!version) throw new Error("there is no active version");
  return (await namesNotIn(bitmap, version, await committedNames(pool))).slice(0, 5);
}

const sealedCount = async () => {
  const version = await activeVersion(pool);
  return version ? (await shardStates(bitmap, version)).filter(state => state === "sealed").length : 0;
};
const untilWhole = () =>
  waitFor("256 sealed shards", async () => (await sealedCount().catch(() => 0)) === 256);
const untilDelivered = () => waitFor("the outbox to be empty", async () => (await pendingEvents(pool)) === 0);

async function withWorkers(work: () => Promise<void>): Promise<void> {
  const workers = startTestWorkers(urls());
  try {
    await untilWhole();
    await untilDelivered();
    await work();
  } finally {
    await workers.stop();
  }
}

describe("the first start", () => {
  it("builds version 1 from the users that are there, and readers are told", async () => {
    await insertOldUsers("old", 5_000);
    await withWorkers(async () => {
      expect(await activeVersion(pool)).toMatchObject({ version: 1, engine: "bitmap", errorRate: 0.01 });
      await waitFor("the pointer", async () => (await readPointer(redis))?.version === 1);
      expect(await missingNow()).toEqual([]);
      const { rows } = await pool.query(
        "SELECT before->>'state' AS from, after->>'state' AS to FROM audit_log WHERE target = 'filter:v1' AND action = 'filter.advance' ORDER BY id",
      );
      expect(rows.map(({ from, to }) => `${from} > ${to}`)).toEqual([
        "requested > building",
        "building > catching-up",
        "catching-up > verifying",
        "verifying > ready",
      ]);
    });
  });

  it("makes room for twice the users that are there", async () => {
    await insertOldUsers("many", 3_000);
    const filter = startTestFilter(urls(), { FILTER_CAPACITY: 1_000 });
    await untilWhole();
    expect((await activeVersion(pool))!.capacity).toBe(6_000);
    await filter.stop();
  });

  it("does not believe shards that another database left in this Redis", async () => {
    const other = await createTestDatabase();
    const filter = startTestFilter({ databaseUrl: other.url, redisUrl: server.url });
    await waitFor("the other's version", async () => (await activeVersion(other.pool)) !== null);
    await filter.stop();
    await other.drop();
    await insertOldUsers("mine", 1_000);
    await withWorkers(async () => expect(await missingNow()).toEqual([]));
  });

  it("does not pile up versions while a forced engine is not there", async () => {
    const filter = startTestFilter(urls(), { FILTER_ENGINE: "redisbloom" });
    await new Promise(resolve => setTimeout(resolve, 500));
    await filter.stop();
    expect(await liveVersions(pool)).toEqual([]);
  });
});

describe("a filter that breaks under running workers", () => {
  it("comes back after FLUSHALL, with all names and the pointer", async () => {
    await insertUsersBySql(pool, "kept", 1_000);
    await withWorkers(async () => {
      await redis.flushall();
      await untilWhole();
      await waitFor("the pointer", async () => (await readPointer(redis)) !== null);
      expect(await missingNow()).toEqual([]);
      expect(await activeVersion(pool)).toMatchObject({ version: 1 });
    });
  });

  it("gets single shards back, deleted, overwritten or without their sentinel", async () => {
    await insertOldUsers("kept", 1_000);
    await withWorkers(async () => {
      const cut = async (key: string) => redis.setrange(key, (await redis.strlen(key)) - 6, Buffer.alloc(6));
      await redis.unlink(filterKey(0x42, 1));
      await redis.set(filterKey(0x43, 1), "x");
      await redis.multi().del(filterKey(0x44, 1)).hset(filterKey(0x44, 1), "f", "v").exec();
      await cut(filterKey(0x45, 1));
      await untilWhole();
      expect(await missingNow()).toEqual([]);
      await waitFor("the repairs to be noted", async () => {
        const { repaired = {} } = (await activeVersion(pool))!.progress;
        return (
          Object.keys(repaired as object)
            .sort()
            .join() === "42,43,44,45"
        );
      });
    });
  });

  it("gets a pointer back that is lost, mismatched or wrong", async () => {
    await withWorkers(async () => {
      await waitFor("the pointer", async () => (await readPointer(redis)) !== null);
      const pointer = await redis.get(FILTER_POINTER_KEY);
      for (const damage of [
        () => redis.unlink(FILTER_POINTER_KEY),
        () => redis.set(FILTER_POINTER_KEY, "{}"),
        () => redis.multi().del(FILTER_POINTER_KEY).lpush(FILTER_POINTER_KEY, "x").exec(),
      ]) {
        await damage();
        await waitFor("the pointer", async () => {
          return (await redis.get(FILTER_POINTER_KEY).catch(() => null)) === pointer;
        });
      }
    });
  });

  it("comes back after Redis was killed and started empty", async () => {
    await insertUsersBySql(pool, "kept", 1_000);
    await withWorkers(async () => {
      await server.kill();
      await insertUsersBySql(pool, "meanwhile", 100);
      await server.run();
      await redisIsReady(redis, 20_000);
      await untilWhole();
      await untilDelivered();
      expect(await missingNow()).toEqual([]);
    });
  });

  it("loses no name of writers that never pause while it is built, repaired and flushed", async () => {
    await insertOldUsers("before", 15_000);
    const workers = startTestWorkers(urls());
    let [writing, written] = [true, 0];
    const write = async (writer: number) => {
      while (writing) {
        written += 1;
        await insertUserBySql(pool, `writer${writer}-${written}`);
      }
    };
    const late = await pool.connect();
    await late.query("BEGIN");
    await insertUserBySql(late, "committed-long-after");
    const writers = [write(1), write(2)];
    await untilWhole();
    for (let shard = 0; shard < 256; shard += 5) await redis.unlink(filterKey(shard, 1));
    await untilWhole();
    await redis.flushall();
    await untilWhole();
    writing = false;
    await Promise.all(writers);
    await late.query("COMMIT");
    late.release();
    await untilDelivered();
    console.log(`names written while building and repairing: ${written}`);
    expect(await missingNow()).toEqual([]);
    await workers.stop();
  });

  it("is kept when Postgres cuts all the worker's connections, more often than its pool has places", async () => {
    await insertOldUsers("kept", 500);
    await withWorkers(async () => {
      for (let round = 0; round < 10; round += 1) {
        await terminateBackends(database.url, "application_name = 'floodgate filter'");
        await redis.unlink(filterKey(round, 1));
        await untilWhole();
      }
      expect(await missingNow()).toEqual([]);
    });
  });

  it("is kept whole by two workers, and by the second one when the first stops", async () => {
    await insertUsersBySql(pool, "kept", 500);
    const [first, second] = [startTestWorkers(urls()), startTestWorkers(urls())];
    await untilWhole();
    await redis.flushall();
    await insertUsersBySql(pool, "both", 500);
    await untilWhole();
    await first.stop();
    await redis.flushall();
    await insertUsersBySql(pool, "one", 500);
    await untilWhole();
    await untilDelivered();
    expect(await missingNow()).toEqual([]);
    expect(await liveVersions(pool)).toHaveLength(1);
    await second.stop();
  });
});

describe("a version that does not do any more", () => {
  it("of an engine that this server lacks is replaced, with the names of both sides of the switch", async () => {
    await pool.query(
      `INSERT INTO filter_versions (version, engine, state, shard_capacity, error_rate)
       VALUES (1, 'redisbloom', 'active', 500, 0.01)`,
    );
    await insertOldUsers("bloom", 2_000);
    await insertUsersBySql(pool, "pending", 50);
    const workers = startTestWorkers(urls());
    await waitFor("a bitmap version", async () => (await activeVersion(pool))?.engine === "bitmap");
    await untilDelivered();
    await waitFor("the pointer", async () => (await readPointer(redis))?.version === 2);
    expect(await missingNow()).toEqual([]);
    await waitFor("the old one to be gone", async () => {
      const { rows } = await pool.query("SELECT state FROM filter_versions WHERE version = 1");
      return rows[0].state === "retired";
    });
    await workers.stop();
  });
});
