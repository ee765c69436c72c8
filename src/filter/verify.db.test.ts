import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { RedisClient } from "../store/redis";
import { filterKey } from "../store/redis-keys";
import { connect } from "../testing/engine-contract";
import { makeVersion } from "../testing/filter-state";
import { createTestDatabase, insertUsersBySql, type TestDatabase } from "../testing/test-database";
import { TestRedis } from "../testing/test-redis";
import { deliverKeys } from "./deliver";
import { createEngines, type Engines } from "./detect-engine";
import { shardOf } from "./layout";
import { verifyVersion } from "./verify";
import type { StoredVersion } from "./versions";

let database: TestDatabase;
let server: TestRedis;
let redis: RedisClient;
let engines: Engines;
let version: StoredVersion;

beforeAll(async () => {
  [server, database] = await Promise.all([TestRedis.start(), createTestDatabase()]);
  redis = await connect(server.url);
  engines = createEngines(redis);
});
afterAll(async () => {
  redis.disconnect();
  await database.drop();
  await server.remove();
});
beforeEach(async () => {
  await database.pool.query("TRUNCATE users, outbox, filter_versions CASCADE");
  await server.ask("FLUSHALL");
  version = await makeVersion(database.pool, engines.bitmap, { state: "verifying" });
});

const verify = () =>
  verifyVersion({
    ...{ pool: database.pool, engine: engines.bitmap, version, scope: "sample" },
    signal: AbortSignal.timeout(30_000),
    onProgress() {},
  });

it("a version does not lack names that a relay has still to bring, however late it is", async () => {
  await insertUsersBySql(database.pool, "imported", 12_000);
  await database.pool.query("UPDATE outbox SET created_at = now() - interval '1 hour'");
  expect((await verify()).rows).toMatchObject({ checked: 12_000, missed: 0 });
});

it("a version lacks names whose events are delivered, or will never be", async () => {
  await insertUsersBySql(database.pool, "name", 100);
  await database.pool.query("UPDATE outbox SET processed_at = now() WHERE payload->>'key' <> 'name7'");
  expect((await verify()).rows).toMatchObject({ checked: 100, missed: 99 });
  await database.pool.query("UPDATE outbox SET dead_at = now() WHERE payload->>'key' = 'name7'");
  expect((await verify()).rows).toMatchObject({ checked: 100, missed: 100 });
});

it.each<[string, (key: string) => Promise<unknown>]>([
  ["is gone", key => redis.unlink(key)],
  ["lost its sentinel", async key => redis.setrange(key, (await redis.strlen(key)) - 6, Buffer.alloc(6))],
])("a version with a shard that %s, and that nobody mends, says which", async (_, damage) => {
  const names = await insertUsersBySql(database.pool, "name", 2_000);
  await deliverKeys(engines, [version], names);
  await database.pool.query("UPDATE outbox SET processed_at = now()");
  const inShard = names.filter(name => shardOf(name) === 0x3f).length;
  await damage(filterKey(0x3f, version.version));
  expect(await verify()).toMatchObject({
    shards: { sealed: 255, full: 0, broken: ["3f"] },
    rows: { checked: 2_000, missed: 0, unproven: inShard, missedShards: ["3f"] },
  });
});
