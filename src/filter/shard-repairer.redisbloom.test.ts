import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { measureBacklog } from "../outbox/backlog";
import { masters, type RedisClient } from "../store/redis";
import { realRedisBloomUrl } from "../testing/real-redisbloom";
import { createTestDatabase, insertUsersBySql, type TestDatabase } from "../testing/test-database";
import { startTestWorkers } from "../testing/test-gate";
import { connect } from "../testing/test-redis";
import { waitFor } from "../testing/wait-for";
import { createEngines } from "./detect-engine";
import { shardOf } from "./layout";
import { readPointer } from "./pointer";

const redisUrl = realRedisBloomUrl();

describe("the repairer on a real RedisBloom", () => {
  let database: TestDatabase;
  let redis: RedisClient;
  let workers: { stop(): Promise<void> };

  beforeAll(async () => {
    database = await createTestDatabase();
    redis = await connect(redisUrl);
    await Promise.all(masters(redis).map(node => node.flushall()));
    await insertUsersBySql(database.pool, "old", 500);
    workers = startTestWorkers(
      { databaseUrl: database.url, redisUrl },
      { filter: { FILTER_CAPACITY: 1_000 } },
    );
    await waitFor("a version", async () => (await readPointer(redis).catch(() => null)) !== null);
  });
  afterAll(async () => {
    await workers.stop();
    redis.disconnect();
    await database.drop();
  });

  const missing = async (names: string[]) => {
    const pointer = await readPointer(redis);
    if (!pointer) return names;
    const engine = createEngines(redis)[pointer.engine];
    const answers = await Promise.all(names.map(name => engine.lookup(pointer, shardOf(name), name)));
    return names.filter((_, index) => answers[index] !== "maybe");
  };
  const drained = async () => (await measureBacklog(database.pool)).pending === 0;

  it("builds the first version from the users table", async () => {
    expect(await readPointer(redis)).toMatchObject({ version: 1, engine: "redisbloom" });
    await waitFor("the outbox to drain", drained);
    expect(await missing(Array.from({ length: 500 }, (_, i) => `old${i}`))).toEqual([]);
  });

  it("builds a larger version when shards are full, and loses no name", async () => {
    const names = await insertUsersBySql(database.pool, "flood", 20_000);
    await waitFor("the outbox to drain", drained, 90_000);
    const pointer = await readPointer(redis);
    expect(pointer!.version).toBeGreaterThan(1);
    expect(pointer!.full).toEqual([]);
    expect(await missing(names)).toEqual([]);
  }, 120_000);

  it("rebuilds flushed shards", async () => {
    await Promise.all(masters(redis).map(node => node.flushall()));
    const names = Array.from({ length: 500 }, (_, i) => `old${i}`);
    await waitFor("all names to be in the filter", async () => (await missing(names)).length === 0, 40_000);
  });
});
