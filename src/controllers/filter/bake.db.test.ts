import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deliverKeys } from "../../filter/deliver";
import { createEngines, type Engines } from "../../filter/detect-engine";
import { ALL_SHARDS, type FilterVersion } from "../../filter/layout";
import { readPointer } from "../../filter/pointer";
import { readVersion } from "../../filter/versions";
import { armPromotion } from "../../services/filter/arm-promotion";
import { promoteVersion } from "../../services/filter/promote-version";
import { requestVerification } from "../../services/filter/request-verification";
import type { RedisClient } from "../../store/redis";
import { filterKey } from "../../store/redis-keys";
import { createGateMetrics } from "../../telemetry/gate-metrics";
import { createTelemetry } from "../../telemetry/telemetry";
import { connect } from "../../testing/engine-contract";
import { makeVersion } from "../../testing/filter-state";
import { byOperator, rolloutRevision } from "../../testing/rollout-state";
import { createTestDatabase, insertUsersBySql, type TestDatabase } from "../../testing/test-database";
import { startTestFilter, startTestRelay } from "../../testing/test-gate";
import { TestRedis } from "../../testing/test-redis";
import { waitFor } from "../../testing/wait-for";

const BY = byOperator("mia");
const reason = "a test";
const NAMES = 3_000;

let database: TestDatabase;
let server: TestRedis;
let redis: RedisClient;
let engines: Engines;
let names: string[];
let undo: (() => Promise<unknown>)[];

beforeAll(async () => {
  server = await TestRedis.start();
});
afterAll(() => server.remove());
beforeEach(async () => {
  database = await createTestDatabase(20);
  await server.ask("FLUSHALL");
  redis = await connect(server.url);
  engines = createEngines(redis);
  names = await insertUsersBySql(database.pool, "name", NAMES);
  await database.pool.query("DELETE FROM outbox");
  const [first, second] = [
    await makeVersion(database.pool, engines.bitmap, { state: "active" }),
    await makeVersion(database.pool, engines.bitmap, { state: "ready" }),
  ];
  await deliverKeys(engines, [first, second], names);
  undo = [];
  const urls = { databaseUrl: database.url, redisUrl: server.url };
  for (const worker of [startTestRelay(urls), startTestFilter(urls)]) undo.push(() => worker.stop());
});
afterEach(async () => {
  for (const step of undo) await step();
  redis.disconnect();
  await database.drop();
});

const version = async (number: number) => (await readVersion(database.pool, number))!;
const revision = () => rolloutRevision(database.prisma);
const lastAudit = (action: string) =>
  database.prisma.auditEntry.findFirst({ where: { action }, orderBy: { id: "desc" } });

async function verify(number: number, scope: "sample" | "every-row" = "sample"): Promise<void> {
  await requestVerification(database.prisma, BY, { version: number, scope, reason });
  await waitFor("the verification", async () => (await version(number)).verifyRequest === null, 30_000);
}

async function promote(number: number): Promise<void> {
  const deps = { pool: database.pool, prisma: database.prisma, redis, approvals: 1, bakeMinutes: 15 };
  await promoteVersion(deps, BY, { version: number, revision: await revision(), waive: ["shadow"], reason });
  await waitFor("readers to be told", async () => (await readPointer(redis))?.version === number);
}

/** The shard as it would be if these names had never been added. */
async function forget(of: FilterVersion, shards: readonly number[]): Promise<void> {
  for (const shard of shards) {
    await engines.bitmap.drop(of, shard);
    await engines.bitmap.reserve(of, shard);
    await engines.bitmap.seal(of, shard);
  }
}

describe("a version that was damaged before it was promoted", () => {
  it("is refused by its verification: names are missing", async () => {
    await forget(await version(2), [0x10, 0x11]);
    await verify(2, "every-row");
    await expect(promote(2)).rejects.toMatchObject({
      code: "CONFLICT",
      message: expect.stringMatching(/missed/),
    });
    expect((await version(2)).state).toBe("ready");
    expect((await readPointer(redis))?.version).toBe(1);
  });
});

describe("a version that is damaged after it was promoted", () => {
  it.each<[string, (of: FilterVersion) => Promise<unknown>, RegExp]>([
    ["a shard is removed", of => redis.unlink(filterKey(0x3f, of.version)), /1 of 256 shards.*3f/],
    ["names are missing", of => forget(of, ALL_SHARDS.slice(0, 8)), /names of the database are missing/],
  ])("is left for the one before within 30 s, and the reason is kept: %s", async (_, damage, message) => {
    await verify(2);
    await promote(2);
    const damagedAt = performance.now();
    await damage(await version(2));
    await waitFor("the way back", async () => (await readPointer(redis))?.version === 1, 30_000);
    console.log(`readers were back on v1 after ${Math.round(performance.now() - damagedAt)} ms`);
    expect([(await version(1)).state, (await version(2)).state]).toEqual(["active", "previous"]);
    const { failure, report } = await database.prisma.filterVersion.findUniqueOrThrow({
      where: { version: 2 },
    });
    expect(failure).toMatch(message);
    expect(report).toBeNull();
    expect(await lastAudit("filter.rollback")).toMatchObject({
      actorKind: "system",
      target: "filter:v2",
      reason: expect.stringMatching(message),
    });
  });

  it("is mended when there is nothing whole to go back to, and so is the other one", async () => {
    await verify(2);
    await promote(2);
    // Both in one moment.
    await redis.unlink(filterKey(0x3f, 1), filterKey(0x3f, 2));
    const isSealed = async (number: number) =>
      (await engines.bitmap.probe(await version(number), 0x3f)) === "sealed";
    await waitFor("both to be whole", async () => (await isSealed(1)) && (await isSealed(2)), 30_000);
    // Whichever was mended first may have become the active one by then.
    expect([(await version(1)).state, (await version(2)).state].sort()).toEqual(["active", "previous"]);
  });
});

describe("a decision made beforehand", () => {
  it("is carried out as soon as every gate passes", async () => {
    await database.pool.query(
      "UPDATE filter_versions SET shadow_since = now() - interval '1 minute' WHERE version = 2",
    );
    await armPromotion(database.prisma, BY, { version: 2, minutes: 5, revision: await revision(), reason });
    // Compared reads are still missing: it waits.
    await verify(2);
    expect((await version(2)).state).toBe("ready");
    const telemetry = createTelemetry(createGateMetrics, { redis, kind: "server", onOutage() {} });
    telemetry.start();
    telemetry.metrics.shadow.same.inc(500);
    undo.unshift(() => telemetry.stop());
    await waitFor("the promotion", async () => (await version(2)).state === "active", 20_000);
    expect(await lastAudit("filter.promote")).toMatchObject({
      actorKind: "system",
      reason: expect.stringContaining("armed by mia"),
    });
  });

  it("is dropped when its deadline passes", async () => {
    await armPromotion(database.prisma, BY, { version: 2, minutes: 5, revision: await revision(), reason });
    await database.pool.query(
      "UPDATE filter_versions SET armed_until = now() - interval '1 second' WHERE version = 2",
    );
    await waitFor("it to be dropped", async () => {
      return (await lastAudit("filter.arm"))?.outcome === "failed";
    });
    expect((await version(2)).state).toBe("ready");
  });

  it("to rebuild every so often makes the next version when it is time, which then waits", async () => {
    await database.pool.query("UPDATE filter_versions SET state = 'retired' WHERE version = 2");
    await database.pool.query("UPDATE filter_versions SET created_at = now() - interval '30 hours'");
    await database.prisma.filterRollout.update({
      where: { id: 1 },
      data: { rebuildEveryHours: 24, scheduleSetBy: "mia" },
    });
    await waitFor(
      "the next version",
      async () => (await readVersion(database.pool, 3))?.state === "ready",
      20_000,
    );
    expect((await version(1)).state).toBe("active");
    expect(await lastAudit("filter.rebuild")).toMatchObject({ reason: "Every 24 hours, as set by mia." });
  });
});
