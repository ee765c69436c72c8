import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PointerFollower, publishPointer, readPointer } from "../../filter/pointer";
import type { RedisClient } from "../../store/redis";
import { connect } from "../../testing/engine-contract";
import { byOperator, insertVersionRow, rolloutRevision } from "../../testing/rollout-state";
import { createTestDatabase, type TestDatabase } from "../../testing/test-database";
import { TestRedis } from "../../testing/test-redis";
import { setTraffic } from "./set-traffic";

let server: TestRedis;
let redis: RedisClient;
let database: TestDatabase;

beforeAll(async () => {
  [server, database] = await Promise.all([TestRedis.start(), createTestDatabase()]);
  redis = await connect(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await database.drop();
  await server.remove();
});
beforeEach(async () => {
  await database.prisma.filterVersion.deleteMany();
  await server.ask("FLUSHALL");
});

describe("the pointer", () => {
  it("never goes back to an older revision, unless the database itself did", async () => {
    await insertVersionRow(database.prisma, { version: 1, state: "active" });
    await publishPointer(redis, database.pool);
    const first = await readPointer(redis);
    await redis.setPointer(
      "bf:usernames:pointer",
      JSON.stringify({ ...first, revision: 0, version: 7 }),
      0,
      "",
    );
    expect(await readPointer(redis)).toEqual(first);
    await redis.set("bf:usernames:pointer", JSON.stringify({ ...first, revision: 99, version: 7 }));
    expect(await publishPointer(redis, database.pool)).toEqual({ version: 1, changed: true });
    expect(await readPointer(redis)).toEqual(first);
  });

  it("carries the candidate while it takes reads", async () => {
    await insertVersionRow(database.prisma, { version: 1, state: "active" });
    await insertVersionRow(database.prisma, { version: 2, state: "ready" });
    await publishPointer(redis, database.pool);
    expect(await readPointer(redis)).toMatchObject({ version: 1, candidate: null });
    const traffic = {
      version: 2,
      shadowPercent: 50,
      canaryPercent: 5,
      revision: await rolloutRevision(database.prisma),
    };
    await setTraffic(database.prisma, byOperator("mia"), { ...traffic, reason: "a test" });
    await publishPointer(redis, database.pool);
    expect(await readPointer(redis)).toMatchObject({
      version: 1,
      candidate: { version: 2, shadowPercent: 50, canaryPercent: 5 },
    });
  });

  it("of another database is followed no longer when this one has no active version", async () => {
    await redis.set(
      "bf:usernames:pointer",
      JSON.stringify({
        ...{ version: 7, engine: "bitmap", shardCapacity: 500, errorRate: 0.01, full: [] },
        ...{ revision: 99, candidate: null },
      }),
    );
    const follower = new PointerFollower(redis);
    await follower.refresh();
    expect(follower.current).toMatchObject({ version: 7 });
    expect(await publishPointer(redis, database.pool)).toBeNull();
    await follower.refresh();
    expect(follower.current).toBeNull();
    expect(await readPointer(redis)).toBeNull();

    await insertVersionRow(database.prisma, { version: 1, state: "active" });
    expect(await publishPointer(redis, database.pool)).toEqual({ version: 1, changed: true });
    await follower.refresh();
    await redis.unlink("bf:usernames:pointer");
    await follower.refresh();
    expect(follower.current).toMatchObject({ version: 1 });
  });
});
