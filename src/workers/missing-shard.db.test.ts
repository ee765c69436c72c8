import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createEngines } from "../filter/detect-engine";
import type { FilterEngine } from "../filter/engine";
import { measureBacklog } from "../outbox/backlog";
import type { RedisClient } from "../store/redis";
import { filterKey } from "../store/redis-keys";
import { makeVersion, namesInShard, namesNotIn } from "../testing/filter-state";
import { pendingEvents } from "../testing/outbox-events";
import { createTestDatabase, insertUserBySql, type TestDatabase } from "../testing/test-database";
import { startTestRelay } from "../testing/test-gate";
import { connect, TestRedis } from "../testing/test-redis";
import { waitFor } from "../testing/wait-for";

const SHARD = 0x3f;
const [gone, alsoGone] = namesInShard(SHARD, "gone", 2) as [string, string];
const [there] = namesInShard(0x40, "there", 1) as [string];

let database: TestDatabase;
let server: TestRedis;
let redis: RedisClient;
let bitmap: FilterEngine;
let stop: () => Promise<void>;

beforeAll(async () => {
  server = await TestRedis.start();
});
afterAll(() => server.remove());
beforeEach(async () => {
  database = await createTestDatabase();
  await server.ask("FLUSHALL");
  redis = await connect(server.url);
  bitmap = createEngines(redis).bitmap;
  stop = async () => {};
});
afterEach(async () => {
  await stop();
  redis.disconnect();
  await database.drop();
});

/** No filter worker runs: as long as that, or as a shard has more names than it takes, it stays away. */
function startRelay(): void {
  const relay = startTestRelay({ databaseUrl: database.url, redisUrl: server.url });
  stop = () => relay.stop();
}

describe("a missing shard", () => {
  it.each<[string, () => Promise<unknown>]>([
    ["missing", () => redis.unlink(filterKey(SHARD, 1))],
    ["of another length", () => redis.set(filterKey(SHARD, 1), "x")],
    ["of another type", () => redis.multi().del(filterKey(SHARD, 1)).lpush(filterKey(SHARD, 1), "x").exec()],
  ])("of the previous version delays no delivery: %s", async (_, damage) => {
    await makeVersion(database.pool, bitmap, { state: "previous" });
    const active = await makeVersion(database.pool, bitmap, { state: "active" });
    await damage();
    await insertUserBySql(database.pool, gone);
    startRelay();
    await waitFor("the delivery", async () => (await pendingEvents(database.pool)) === 0);
    expect(await namesNotIn(bitmap, active, [gone])).toEqual([]);
  });

  it("of the active version holds up its own names alone, no recovery, and no promotion", async () => {
    const active = await makeVersion(database.pool, bitmap, { state: "active" });
    await redis.unlink(filterKey(SHARD, active.version));
    for (const name of [gone, there]) await insertUserBySql(database.pool, name);
    // Delivered once, to a Redis that was another one.
    await database.pool.query("UPDATE outbox SET processed_at = clock_timestamp()");
    await insertUserBySql(database.pool, alsoGone);
    startRelay();
    await waitFor("the new Redis to be known", async () => {
      const { rowCount } = await database.pool.query("SELECT FROM filter_nodes");
      return rowCount === 1;
    });
    expect(await namesNotIn(bitmap, active, [gone, there])).toEqual([gone]);
    await waitFor("the first try", async () => {
      const { rowCount } = await database.pool.query(
        "SELECT FROM outbox WHERE attempts > 0 AND last_error IS NOT NULL",
      );
      return rowCount === 1;
    });
    expect(await measureBacklog(database.pool)).toMatchObject({ pending: 1, oldestDeliverableSeconds: 0 });
  });
});
