import { beforeEach, describe, expect, it } from "vitest";
import { deliverKeys } from "../../filter/deliver";
import { ALL_SHARDS, type FilterVersion } from "../../filter/layout";
import { readPointer } from "../../filter/pointer";
import { readVersion } from "../../filter/versions";
import { armPromotion } from "../../services/filter/arm-promotion";
import { promoteVersion } from "../../services/filter/promote-version";
import { requestVerification } from "../../services/filter/request-verification";
import { filterKey } from "../../store/redis-keys";
import { createGateMetrics } from "../../telemetry/gate-metrics";
import { createTelemetry } from "../../telemetry/telemetry";
import { filterFixture } from "../../testing/filter-fixture";
import { makeVersion } from "../../testing/filter-state";
import { byOperator, rolloutRevision } from "../../testing/rollout-state";
import { startTestFilter, startTestRelay } from "../../testing/test-gate";
import { waitFor } from "../../testing/wait-for";

const OPERATOR = byOperator("mia");
const reason = "a test";
const NAMES = 3_000;

const fixture = filterFixture({ maxConnections: 20 });

beforeEach(async () => {
  const { pool, engines, bitmap, urls } = fixture;
  const names = await fixture.insertOldUsers("name", NAMES);
  const active = await makeVersion(pool, bitmap, { state: "active" });
  const ready = await makeVersion(pool, bitmap, { state: "ready" });
  await deliverKeys(engines, [active, ready], names);
  const workers = [startTestRelay(urls), startTestFilter(urls)];
  fixture.onClose(() => Promise.all(workers.map(worker => worker.stop())));
});

const version = async (number: number) => (await readVersion(fixture.pool, number))!;
const revision = () => rolloutRevision(fixture.prisma);
const lastAudit = (action: string) =>
  fixture.prisma.auditEntry.findFirst({ where: { action }, orderBy: { id: "desc" } });

async function verify(number: number, scope: "sample" | "every-row" = "sample"): Promise<void> {
  await requestVerification(fixture.prisma, OPERATOR, { version: number, scope, reason });
  await waitFor("the verification", async () => (await version(number)).verifyRequest === null, 30_000);
}

async function promote(number: number): Promise<void> {
  const { pool, prisma, redis } = fixture;
  const deps = { pool, prisma, redis, approvals: 1, bakeMinutes: 15 };
  await promoteVersion(deps, OPERATOR, {
    version: number,
    revision: await revision(),
    waive: ["shadow"],
    reason,
  });
  await waitFor("the new pointer", async () => (await readPointer(redis))?.version === number);
}

/** Replaces these shards by empty ones. */
async function emptyShards(of: FilterVersion, shards: readonly number[]): Promise<void> {
  for (const shard of shards) {
    await fixture.bitmap.drop(of, shard);
    await fixture.bitmap.reserve(of, shard);
    await fixture.bitmap.seal(of, shard);
  }
}

describe("a version that was damaged before it was promoted", () => {
  it("fails its verification, because names are missing", async () => {
    await emptyShards(await version(2), [0x10, 0x11]);
    await verify(2, "every-row");
    await expect(promote(2)).rejects.toMatchObject({
      code: "CONFLICT",
      message: expect.stringMatching(/missed/),
    });
    expect((await version(2)).state).toBe("ready");
    expect((await readPointer(fixture.redis))?.version).toBe(1);
  });
});

describe("a version that is damaged after it was promoted", () => {
  it.each<[string, (of: FilterVersion) => Promise<unknown>, RegExp]>([
    ["a shard is removed", of => fixture.redis.unlink(filterKey(0x3f, of.version)), /1 of 256 shards.*3f/],
    ["names are missing", of => emptyShards(of, ALL_SHARDS.slice(0, 8)), /names of the database are missing/],
  ])("is rolled back within 30 s, and the reason is stored: %s", async (_, damage, message) => {
    await verify(2);
    await promote(2);
    const damagedAt = performance.now();
    await damage(await version(2));
    await waitFor("the rollback", async () => (await readPointer(fixture.redis))?.version === 1, 30_000);
    console.log(`readers were back on v1 after ${Math.round(performance.now() - damagedAt)} ms`);
    expect([(await version(1)).state, (await version(2)).state]).toEqual(["active", "previous"]);
    const { failure, report } = await fixture.prisma.filterVersion.findUniqueOrThrow({
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

  it("is repaired, like the previous version, when both are broken", async () => {
    await verify(2);
    await promote(2);
    // Both at the same time.
    await fixture.redis.unlink(filterKey(0x3f, 1), filterKey(0x3f, 2));
    const isSealed = async (number: number) =>
      (await fixture.bitmap.probe(await version(number), 0x3f)) === "sealed";
    await waitFor("both to be sealed", async () => (await isSealed(1)) && (await isSealed(2)), 30_000);
    // The version that was repaired first may be the active one by now.
    expect([(await version(1)).state, (await version(2)).state].sort()).toEqual(["active", "previous"]);
  });
});

describe("an armed or scheduled decision", () => {
  it("is carried out as soon as every gate passes", async () => {
    await fixture.pool.query(
      "UPDATE filter_versions SET shadow_since = now() - interval '1 minute' WHERE version = 2",
    );
    await armPromotion(fixture.prisma, OPERATOR, {
      version: 2,
      minutes: 5,
      revision: await revision(),
      reason,
    });
    // The shadow gate has no data yet, so the promotion waits.
    await verify(2);
    expect((await version(2)).state).toBe("ready");
    const telemetry = createTelemetry(createGateMetrics, {
      redis: fixture.redis,
      kind: "server",
      onOutage() {},
    });
    telemetry.start();
    telemetry.metrics.shadow.same.inc(500);
    fixture.onClose(() => telemetry.stop());
    await waitFor("the promotion", async () => (await version(2)).state === "active", 20_000);
    expect(await lastAudit("filter.promote")).toMatchObject({
      actorKind: "system",
      reason: expect.stringContaining("armed by mia"),
    });
  });

  it("is disarmed after its deadline", async () => {
    await armPromotion(fixture.prisma, OPERATOR, {
      version: 2,
      minutes: 5,
      revision: await revision(),
      reason,
    });
    await fixture.pool.query(
      "UPDATE filter_versions SET armed_until = now() - interval '1 second' WHERE version = 2",
    );
    await waitFor("the version to be disarmed", async () => {
      return (await lastAudit("filter.arm"))?.outcome === "failed";
    });
    expect((await version(2)).state).toBe("ready");
  });

  it("builds the scheduled version, which then waits for its promotion", async () => {
    await fixture.pool.query("UPDATE filter_versions SET state = 'retired' WHERE version = 2");
    await fixture.pool.query("UPDATE filter_versions SET created_at = now() - interval '30 hours'");
    await fixture.prisma.filterRollout.update({
      where: { id: 1 },
      data: { rebuildEveryHours: 24, scheduleSetBy: "mia" },
    });
    await waitFor(
      "the next version",
      async () => (await readVersion(fixture.pool, 3))?.state === "ready",
      20_000,
    );
    expect((await version(1)).state).toBe("active");
    expect(await lastAudit("filter.rebuild")).toMatchObject({ reason: "Scheduled every 24 hours by mia." });
  });
});
