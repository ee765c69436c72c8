import { describe, expect, it } from "vitest";
import { readPointer } from "../../filter/pointer";
import { liveVersions } from "../../filter/versions";
import { redisIsReady } from "../../store/redis";
import { FILTER_POINTER_KEY, filterKey } from "../../store/redis-keys";
import { filterFixture } from "../../testing/filter-fixture";
import { activeVersion, shardStates } from "../../testing/filter-state";
import { pendingEvents } from "../../testing/outbox-events";
import { terminateBackends } from "../../testing/terminate-backends";
import { createTestDatabase, insertUserBySql, insertUsersBySql } from "../../testing/test-database";
import { startTestFilter, startTestWorkers } from "../../testing/test-gate";
import { waitFor } from "../../testing/wait-for";

const fixture = filterFixture();

/** Committed names that are missing in the active version; the first few. */
async function missingNow(): Promise<string[]> {
  const version = await activeVersion(fixture.pool);
  if (!version) throw new Error("There is no active version.");
  return fixture.missingNames(version);
}

const sealedCount = async () => {
  const version = await activeVersion(fixture.pool);
  return version
    ? (await shardStates(fixture.bitmap, version)).filter(state => state === "sealed").length
    : 0;
};
const untilSealed = () =>
  waitFor("256 sealed shards", async () => (await sealedCount().catch(() => 0)) === 256);
const untilDelivered = () =>
  waitFor("the outbox to be empty", async () => (await pendingEvents(fixture.pool)) === 0);

async function withWorkers(work: () => Promise<void>): Promise<void> {
  const workers = startTestWorkers(fixture.urls);
  try {
    await untilSealed();
    await untilDelivered();
    await work();
  } finally {
    await workers.stop();
  }
}

describe("the first start", () => {
  it("builds version 1 from the users table, and publishes it to the readers", async () => {
    await fixture.insertOldUsers("old", 5_000);
    await withWorkers(async () => {
      expect(await activeVersion(fixture.pool)).toMatchObject({
        version: 1,
        engine: "bitmap",
        errorRate: 0.01,
      });
      await waitFor("the pointer", async () => (await readPointer(fixture.redis))?.version === 1);
      expect(await missingNow()).toEqual([]);
      const { rows } = await fixture.pool.query(
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

  it("chooses a capacity of twice the number of users", async () => {
    await fixture.insertOldUsers("many", 3_000);
    const filter = startTestFilter(fixture.urls, { FILTER_CAPACITY: 1_000 });
    await untilSealed();
    expect((await activeVersion(fixture.pool))!.capacity).toBe(6_000);
    await filter.stop();
  });

  it("does not use the shards of another database in this Redis", async () => {
    const other = await createTestDatabase();
    const filter = startTestFilter({ databaseUrl: other.url, redisUrl: fixture.server.url });
    await waitFor("the other's version", async () => (await activeVersion(other.pool)) !== null);
    await filter.stop();
    await other.drop();
    // The shards outlive their owner's marks.
    await fixture.redis.del(await fixture.redis.keys("*owner"));
    await fixture.insertOldUsers("mine", 1_000);
    await withWorkers(async () => expect(await missingNow()).toEqual([]));
  });

  it("requests no versions while the forced engine is missing", async () => {
    const filter = startTestFilter(fixture.urls, { FILTER_ENGINE: "redisbloom" });
    await new Promise(resolve => setTimeout(resolve, 500));
    await filter.stop();
    expect(await liveVersions(fixture.pool)).toEqual([]);
  });
});

describe("a filter that is damaged while workers run", () => {
  it("is rebuilt after FLUSHALL, with all names and the pointer", async () => {
    await insertUsersBySql(fixture.pool, "kept", 1_000);
    await withWorkers(async () => {
      await fixture.redis.flushall();
      await untilSealed();
      await waitFor("the pointer", async () => (await readPointer(fixture.redis)) !== null);
      expect(await missingNow()).toEqual([]);
      expect(await activeVersion(fixture.pool)).toMatchObject({ version: 1 });
    });
  });

  it("gets single shards repaired: deleted, overwritten or without their sentinel", async () => {
    await fixture.insertOldUsers("kept", 1_000);
    await withWorkers(async () => {
      const cut = async (key: string) =>
        fixture.redis.setrange(key, (await fixture.redis.strlen(key)) - 6, Buffer.alloc(6));
      await fixture.redis.unlink(filterKey(0x42, 1));
      await fixture.redis.set(filterKey(0x43, 1), "x");
      await fixture.redis.multi().del(filterKey(0x44, 1)).hset(filterKey(0x44, 1), "f", "v").exec();
      await cut(filterKey(0x45, 1));
      await untilSealed();
      expect(await missingNow()).toEqual([]);
      await waitFor("the repairs to be stored", async () => {
        const { repaired = {} } = (await activeVersion(fixture.pool))!.progress;
        return (
          Object.keys(repaired as object)
            .sort()
            .join() === "42,43,44,45"
        );
      });
    });
  });

  it("gets a pointer restored that is deleted or overwritten", async () => {
    await withWorkers(async () => {
      await waitFor("the pointer", async () => (await readPointer(fixture.redis)) !== null);
      const pointer = await fixture.redis.get(FILTER_POINTER_KEY);
      for (const damage of [
        () => fixture.redis.unlink(FILTER_POINTER_KEY),
        () => fixture.redis.set(FILTER_POINTER_KEY, "{}"),
        () => fixture.redis.multi().del(FILTER_POINTER_KEY).lpush(FILTER_POINTER_KEY, "x").exec(),
      ]) {
        await damage();
        await waitFor("the pointer", async () => {
          return (await fixture.redis.get(FILTER_POINTER_KEY).catch(() => null)) === pointer;
        });
      }
    });
  });

  it("is rebuilt after Redis was killed and started empty", async () => {
    await insertUsersBySql(fixture.pool, "kept", 1_000);
    await withWorkers(async () => {
      await fixture.server.kill();
      await insertUsersBySql(fixture.pool, "meanwhile", 100);
      await fixture.server.run();
      await redisIsReady(fixture.redis, 20_000);
      await untilSealed();
      await untilDelivered();
      expect(await missingNow()).toEqual([]);
    });
  });

  it("loses no name of concurrent writers while it is built, repaired and flushed", async () => {
    await fixture.insertOldUsers("before", 15_000);
    const workers = startTestWorkers(fixture.urls);
    let [writing, written] = [true, 0];
    const write = async (writer: number) => {
      while (writing) {
        written += 1;
        await insertUserBySql(fixture.pool, `writer${writer}-${written}`);
      }
    };
    const late = await fixture.pool.connect();
    await late.query("BEGIN");
    await insertUserBySql(late, "committed-long-after");
    const writers = [write(1), write(2)];
    await untilSealed();
    for (let shard = 0; shard < 256; shard += 5) await fixture.redis.unlink(filterKey(shard, 1));
    await untilSealed();
    await fixture.redis.flushall();
    await untilSealed();
    writing = false;
    await Promise.all(writers);
    await late.query("COMMIT");
    late.release();
    await untilDelivered();
    console.log(`names written while building and repairing: ${written}`);
    expect(await missingNow()).toEqual([]);
    await workers.stop();
  });

  it("is repaired when Postgres ends all connections of the worker, more often than the pool has connections", async () => {
    await fixture.insertOldUsers("kept", 500);
    await withWorkers(async () => {
      for (let round = 0; round < 10; round += 1) {
        await terminateBackends(fixture.database.url, "application_name = 'floodgate filter'");
        await fixture.redis.unlink(filterKey(round, 1));
        await untilSealed();
      }
      expect(await missingNow()).toEqual([]);
    });
  });

  it("is repaired by two workers, and by the second worker when the first one stops", async () => {
    await insertUsersBySql(fixture.pool, "kept", 500);
    const [first, second] = [startTestWorkers(fixture.urls), startTestWorkers(fixture.urls)];
    await untilSealed();
    await fixture.redis.flushall();
    await insertUsersBySql(fixture.pool, "both", 500);
    await untilSealed();
    await first.stop();
    await fixture.redis.flushall();
    await insertUsersBySql(fixture.pool, "one", 500);
    await untilSealed();
    await untilDelivered();
    expect(await missingNow()).toEqual([]);
    expect(await liveVersions(fixture.pool)).toHaveLength(1);
    await second.stop();
  });
});

describe("a version that can't be used any more", () => {
  it("is replaced when the server lacks its engine, and no name is lost", async () => {
    await fixture.pool.query(
      `INSERT INTO filter_versions (version, engine, state, shard_capacity, error_rate)
       VALUES (1, 'redisbloom', 'active', 500, 0.01)`,
    );
    await fixture.insertOldUsers("bloom", 2_000);
    await insertUsersBySql(fixture.pool, "pending", 50);
    const workers = startTestWorkers(fixture.urls);
    await waitFor("a bitmap version", async () => (await activeVersion(fixture.pool))?.engine === "bitmap");
    await untilDelivered();
    await waitFor("the pointer", async () => (await readPointer(fixture.redis))?.version === 2);
    expect(await missingNow()).toEqual([]);
    await waitFor("the old version to be retired", async () => {
      const { rows } = await fixture.pool.query("SELECT state FROM filter_versions WHERE version = 1");
      return rows[0].state === "retired";
    });
    await workers.stop();
  });
});
