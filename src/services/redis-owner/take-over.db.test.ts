import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OwnerGuard, readOwner } from "../../store/owner-guard";
import { createPrisma } from "../../store/postgres";
import type { RedisClient } from "../../store/redis";
import { filterKey } from "../../store/redis-keys";
import { TestCluster } from "../../testing/test-cluster";
import { createTestDatabase, type TestDatabase } from "../../testing/test-database";
import { connect, TestRedis } from "../../testing/test-redis";
import { takeRedisOver } from "./take-over";

const audit = {
  actor: { kind: "cli" as const, id: null, name: "tester", role: null },
  action: "redis.takeOver",
  requestId: null,
  address: null,
};

async function startOne() {
  const server = await TestRedis.start();
  return { url: server.url, remove: () => server.remove() };
}

async function startCluster() {
  const cluster = await TestCluster.start();
  return { url: cluster.urls, remove: () => cluster.remove() };
}

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe.each([
  ["one Redis", async () => startOne()],
  ["a cluster", async () => startCluster()],
])("taking over %s", (_, start) => {
  let server: { url: string; remove(): Promise<unknown> };
  let redis: RedisClient;
  beforeAll(async () => {
    server = await start();
    redis = await connect(server.url);
  });
  afterAll(async () => {
    redis?.disconnect();
    await server?.remove();
  });

  it("replaces every mark, removes the other one's shards, and keeps its orders", async () => {
    const other = "4 other 1/2";
    await redis.set("floodgate:owner", `${other} trading`);
    const tags = ["bf:usernames:{00}", "bf:usernames:{ff}", "orders:{trades:s1}", "{telemetry}"];
    for (const tag of tags) await redis.set(`${tag}:owner`, other);
    for (const shard of [0, 255]) await redis.set(filterKey(shard, 3), "bits");
    await redis.xadd("orders:{trades:s1}:records", "*", "d", "an order");

    const deps = { pool: database.pool, prisma: createPrisma(database.pool), redis };
    const { before, after } = await takeRedisOver(deps, audit, "moved");
    const { installation, database: id, databaseName } = await readOwner(database.pool);
    expect(before).toBe(`${other} trading`);
    expect(after).toBe(`5 ${installation} ${id} ${databaseName}`);
    for (const tag of tags) expect(await redis.get(`${tag}:owner`)).toBe(`5 ${installation} ${id}`);
    for (const shard of [0, 255]) expect(await redis.exists(filterKey(shard, 3))).toBe(0);
    expect(await redis.xlen("orders:{trades:s1}:records")).toBe(1);

    const guard = new OwnerGuard();
    await guard.refresh(database.pool, async () => String(await redis.get("floodgate:owner")));
    expect(guard.problem).toBeNull();
    expect(guard.mark()).toBe(`5 ${installation} ${id}`);
    // A repeat completes a try that was interrupted.
    expect((await takeRedisOver(deps, audit, "again")).after).toMatch(/^6 /);
  });
});
