import { beforeEach, expect, it } from "vitest";
import { filterKey } from "../store/redis-keys";
import { filterFixture } from "../testing/filter-fixture";
import { makeVersion } from "../testing/filter-state";
import { insertUsersBySql } from "../testing/test-database";
import { deliverKeys } from "./deliver";
import { shardOf } from "./layout";
import { verifyVersion } from "./verify";
import type { StoredVersion } from "./versions";

const fixture = filterFixture({ sharesDatabase: true });
let version: StoredVersion;

beforeEach(async () => {
  version = await makeVersion(fixture.pool, fixture.bitmap, { state: "verifying" });
});

const verify = () =>
  verifyVersion({
    pool: fixture.pool,
    engine: fixture.bitmap,
    version,
    scope: "sample",
    signal: AbortSignal.timeout(30_000),
    onProgress() {},
  });

it("a name with a pending event is not missing, however old the event is", async () => {
  await insertUsersBySql(fixture.pool, "imported", 12_000);
  await fixture.pool.query("UPDATE outbox SET created_at = now() - interval '1 hour'");
  expect((await verify()).rows).toMatchObject({ checked: 12_000, missed: 0 });
});

it("a name is missing when its event is processed or dead", async () => {
  await insertUsersBySql(fixture.pool, "name", 100);
  await fixture.pool.query("UPDATE outbox SET processed_at = now() WHERE payload->>'key' <> 'name7'");
  expect((await verify()).rows).toMatchObject({ checked: 100, missed: 99 });
  await fixture.pool.query("UPDATE outbox SET dead_at = now() WHERE payload->>'key' = 'name7'");
  expect((await verify()).rows).toMatchObject({ checked: 100, missed: 100 });
});

it.each<[string, (key: string) => Promise<unknown>]>([
  ["is missing", key => fixture.redis.unlink(key)],
  [
    "lost its sentinel",
    async key => fixture.redis.setrange(key, (await fixture.redis.strlen(key)) - 6, Buffer.alloc(6)),
  ],
])("the report names a shard that %s", async (_, damage) => {
  const names = await insertUsersBySql(fixture.pool, "name", 2_000);
  await deliverKeys(fixture.engines, [version], names);
  await fixture.pool.query("UPDATE outbox SET processed_at = now()");
  const inShard = names.filter(name => shardOf(name) === 0x3f).length;
  await damage(filterKey(0x3f, version.version));
  expect(await verify()).toMatchObject({
    shards: { sealed: 255, full: 0, broken: ["3f"] },
    rows: { checked: 2_000, missed: 0, unproven: inShard, missedShards: ["3f"] },
  });
});
