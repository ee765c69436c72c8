import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { VersionState } from "../../domain/filter/filter-version";
import { publishPointer, readPointer } from "../../filter/pointer";
import type { RedisClient } from "../../store/redis";
import { connect } from "../../testing/engine-contract";
import { byOperator, insertVersionRow, passingReport, rolloutRevision } from "../../testing/rollout-state";
import { createTestDatabase, type TestDatabase } from "../../testing/test-database";
import { TestRedis } from "../../testing/test-redis";
import type { AuditContext } from "../audit/write-audit";
import { advanceVersion } from "./advance-version";
import { armPromotion } from "./arm-promotion";
import { cancelRebuild } from "./cancel-rebuild";
import { type PromoteDeps, promoteVersion } from "./promote-version";
import { requestRebuild } from "./request-rebuild";
import { requestVerification } from "./request-verification";
import { retireVersion } from "./retire-version";
import { rollbackVersion } from "./rollback-version";
import { setTraffic } from "./set-traffic";
import { storeReport } from "./store-report";

let server: TestRedis;
let redis: RedisClient;
let database: TestDatabase;
let deps: PromoteDeps;

beforeAll(async () => {
  server = await TestRedis.start();
});
afterAll(() => server.remove());
beforeEach(async () => {
  database = await createTestDatabase();
  await server.ask("FLUSHALL");
  redis = await connect(server.url);
  deps = { pool: database.pool, prisma: database.prisma, redis, approvals: 1, bakeMinutes: 15 };
});
afterEach(async () => {
  redis.disconnect();
  await database.drop();
});

const MIA = byOperator("mia");
const NOAH = byOperator("noah");
const reason = "monday morning";
const WISH = { capacity: 100_000, errorRate: 0.01, engine: "bitmap" as const, reason };

const insertVersion = (version: number, state: VersionState, more: object = {}) =>
  insertVersionRow(database.prisma, { version, state, ...more });
const revision = () => rolloutRevision(database.prisma);

async function states(): Promise<Record<number, string>> {
  const rows = await database.prisma.filterVersion.findMany({ orderBy: { version: "asc" } });
  return Object.fromEntries(rows.map(row => [row.version, row.state]));
}

const lastAudit = () => database.prisma.auditEntry.findFirstOrThrow({ orderBy: { id: "desc" } });
const promote = async (version: number, audit = MIA, more: object = {}) =>
  promoteVersion(deps, audit, { version, revision: await revision(), waive: ["shadow"], reason, ...more });
const conflict = (message: RegExp) =>
  expect.objectContaining({ code: "CONFLICT", message: expect.stringMatching(message) });

describe("asking for a rebuild", () => {
  it("makes the next version, with its audit row", async () => {
    expect(await requestRebuild(database.prisma, MIA, WISH)).toBe(1);
    expect(await states()).toEqual({ 1: "requested" });
    expect(await lastAudit()).toMatchObject({ target: "filter:v1", actorName: "mia", reason, outcome: "ok" });
  });

  it("is refused while there is a candidate, also to the slower of two at once", async () => {
    const tries = await Promise.allSettled(
      [MIA, NOAH].map(audit => requestRebuild(database.prisma, audit, WISH)),
    );
    expect(tries.filter(one => one.status === "fulfilled")).toHaveLength(1);
    const refused = tries.find(one => one.status === "rejected");
    expect(refused?.reason).toEqual(conflict(/v1 is requested already/));
    expect(await states()).toEqual({ 1: "requested" });
  });

  it("can be taken back at any step, and the worker's next step then fails", async () => {
    await requestRebuild(database.prisma, MIA, WISH);
    await cancelRebuild(database.prisma, NOAH, { version: 1, reason });
    expect(await states()).toEqual({ 1: "discarding" });
    const step = { version: 1, from: "requested", to: "building", reason } as const;
    await expect(advanceVersion(database.prisma, step)).rejects.toEqual(conflict(/not requested any more/));
    await expect(cancelRebuild(database.prisma, NOAH, { version: 1, reason })).rejects.toEqual(
      conflict(/nothing to cancel/),
    );
  });
});

describe("promoting", () => {
  beforeEach(async () => {
    await insertVersion(1, "active");
    await insertVersion(2, "ready", {
      canaryPercent: 20,
      armedUntil: new Date(Date.now() + 60_000),
      armedBy: "mia",
    });
  });

  it("flips readers, keeps the version before, and says why it was allowed", async () => {
    expect(await promote(2)).toEqual({ outcome: "promoted" });
    expect(await states()).toEqual({ 1: "previous", 2: "active" });
    const version = await database.prisma.filterVersion.findUniqueOrThrow({ where: { version: 2 } });
    expect(version).toMatchObject({ canaryPercent: 0, armedUntil: null, switchedAt: null });
    expect(version.bakeUntil!.getTime()).toBeGreaterThan(Date.now() + 14 * 60_000);
    const audit = await lastAudit();
    expect(audit.before).toEqual({ active: 1 });
    expect(audit.after).toMatchObject({ active: 2, previous: 1 });
    expect(JSON.stringify(audit.after)).toContain("0 missed of 3,000");
    await publishPointer(redis, database.pool);
    expect(await readPointer(redis)).toMatchObject({ version: 2, candidate: null });
  });

  it("retires the version before the one before", async () => {
    await insertVersion(3, "previous");
    await promote(2);
    expect(await states()).toEqual({ 1: "previous", 2: "active", 3: "retiring" });
  });

  it("has one winner when two operators decide at once", async () => {
    const seen = await revision();
    const tries = await Promise.allSettled([
      promote(2, MIA, { revision: seen }),
      promote(2, NOAH, { revision: seen }),
    ]);
    expect(tries.map(one => one.status).sort()).toEqual(["fulfilled", "rejected"]);
    const loser = tries.find(one => one.status === "rejected");
    expect(loser?.reason).toEqual(conflict(/changed in the meantime/));
    expect(await states()).toEqual({ 1: "previous", 2: "active" });
  });

  it.each<[string, object, RegExp]>([
    ["was never verified", { report: undefined }, /no data/],
    [
      "lacks a name",
      {
        report: {
          ...passingReport(),
          rows: { checked: 3_000, missed: 2, unproven: 0, missedShards: ["0a"] },
        },
      },
      /2 missed.*0a/,
    ],
    [
      "lacks a shard",
      { report: { ...passingReport(), shards: { sealed: 255, full: 0, broken: ["3f"] } } },
      /255 of 256; not 3f/,
    ],
  ])("refuses a version that %s", async (_, change, message) => {
    await database.prisma.filterVersion.delete({ where: { version: 2 } });
    await insertVersion(2, "ready", change);
    await expect(promote(2)).rejects.toEqual(conflict(message));
    expect(await states()).toEqual({ 1: "active", 2: "ready" });
  });

  it("refuses while the comparison of reads has no data, unless that is waived", async () => {
    await expect(promote(2, MIA, { waive: [] })).rejects.toEqual(conflict(/agree.*no data/));
    expect(await promote(2)).toEqual({ outcome: "promoted" });
  });

  it("takes two people where two are asked for", async () => {
    deps = { ...deps, approvals: 2 };
    expect(await promote(2, MIA)).toEqual({ outcome: "approved" });
    expect(await promote(2, MIA)).toEqual({ outcome: "approved" });
    expect(await states()).toEqual({ 1: "active", 2: "ready" });
    expect(await promote(2, NOAH)).toEqual({ outcome: "promoted" });
  });

  it("keeps what was active when the first version of all is promoted again", async () => {
    await database.prisma.filterVersion.deleteMany();
    await insertVersion(1, "previous", { autoPromote: true });
    await insertVersion(2, "active");
    await promote(1);
    expect(await states()).toEqual({ 1: "active", 2: "previous" });
  });

  it("by arming takes two people as well, where two are asked for", async () => {
    const arm = async (audit: AuditContext) =>
      armPromotion(database.prisma, audit, { version: 2, minutes: 5, revision: await revision(), reason }, 2);
    await expect(arm(MIA)).rejects.toEqual(conflict(/Two people must agree/));
    deps = { ...deps, approvals: 2 };
    await promote(2, MIA);
    await expect(arm(MIA)).rejects.toEqual(conflict(/Two people must agree/));
    expect((await arm(NOAH)).armedUntil).not.toBeNull();
  });

  it.each<VersionState>(["requested", "building", "retired", "failed"])(
    "refuses a version that is %s",
    async state => {
      await database.prisma.filterVersion.delete({ where: { version: 2 } });
      await insertVersion(2, state);
      await expect(promote(2)).rejects.toEqual(conflict(/can't be promoted/));
    },
  );

  it("knows no version that was never made", async () => {
    await expect(promote(9)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("going back", () => {
  it("is the same flip the other way, again and again", async () => {
    await insertVersion(1, "active");
    await insertVersion(2, "ready");
    await promote(2);
    expect(await rollbackVersion(database.prisma, MIA, { revision: await revision(), reason })).toBe(1);
    expect(await states()).toEqual({ 1: "active", 2: "previous" });
    await promote(2);
    expect(await states()).toEqual({ 1: "previous", 2: "active" });
  });

  it("is over when the previous version was retired", async () => {
    await insertVersion(1, "previous");
    await insertVersion(2, "active");
    await retireVersion(database.prisma, MIA, { version: 1, revision: await revision(), reason });
    const back = rollbackVersion(database.prisma, MIA, { revision: await revision(), reason });
    await expect(back).rejects.toEqual(conflict(/was retired/));
  });

  it("stays possible as long as readers were not told of the new version", async () => {
    await insertVersion(1, "previous");
    await insertVersion(2, "active", { switchedAt: null });
    const retire = { version: 1, revision: await revision(), reason };
    await expect(retireVersion(database.prisma, MIA, retire)).rejects.toEqual(conflict(/not told of v2 yet/));
    expect(await rollbackVersion(database.prisma, MIA, { revision: await revision(), reason })).toBe(1);
  });

  it("is not done by the worker for a version that is not active any more", async () => {
    await insertVersion(1, "active");
    await insertVersion(2, "previous");
    const late = { revision: null, expected: 2, reason: "a shard is gone", damaged: true };
    await expect(rollbackVersion(database.prisma, MIA, late)).rejects.toEqual(
      conflict(/v2 is not active any more/),
    );
    expect(await states()).toEqual({ 1: "active", 2: "previous" });
  });

  it("does not lead to a version that was left because it is damaged, until it is verified again", async () => {
    await insertVersion(1, "previous");
    await insertVersion(2, "active");
    await rollbackVersion(database.prisma, MIA, { revision: null, reason: "a shard is gone", damaged: true });
    expect(await states()).toEqual({ 1: "active", 2: "previous" });
    const back = rollbackVersion(database.prisma, MIA, { revision: await revision(), reason });
    await expect(back).rejects.toEqual(conflict(/a shard is gone.*Verify/));
    await expect(promote(2)).rejects.toEqual(conflict(/a shard is gone.*every row/));
    await requestVerification(database.prisma, MIA, { version: 2, scope: "every-row", reason });
    expect(await database.prisma.filterVersion.findUnique({ where: { version: 2 } })).toMatchObject({
      verifyRequest: "every-row",
    });
  });
});

describe("a version that was left because it is damaged", () => {
  const failure = "Automatic: 3 names are missing.";
  beforeEach(async () => {
    await insertVersion(1, "active");
    await insertVersion(2, "previous", { failure, report: undefined });
  });
  const verified = (scope: "sample" | "every-row", passed = true) =>
    storeReport(database.prisma, 2, { ...passingReport(), scope }, { passed });

  it("comes back when every row of it was looked up, and none is missing", async () => {
    await verified("every-row");
    expect(await promote(2)).toEqual({ outcome: "promoted" });
    await rollbackVersion(database.prisma, MIA, { revision: await revision(), reason });
    expect(await states()).toEqual({ 1: "active", 2: "previous" });
  });

  it.each<[string, () => Promise<void>]>([
    ["a sample passed, in which the few may not be", () => verified("sample")],
    ["every row was looked up, and some are missing", () => verified("every-row", false)],
  ])("does not come back because %s", async (_, verify) => {
    await verify();
    await expect(promote(2)).rejects.toEqual(conflict(/3 names are missing.*Verify every row/));
    const back = rollbackVersion(database.prisma, MIA, { revision: await revision(), reason });
    await expect(back).rejects.toEqual(conflict(/3 names are missing.*Verify every row/));
    expect(await states()).toEqual({ 1: "active", 2: "previous" });
  });
});

describe("what does not fit the state", () => {
  it("is refused, and changes nothing", async () => {
    await insertVersion(1, "active");
    await insertVersion(2, "building");
    const seen = await revision();
    const traffic = { version: 2, shadowPercent: 5, canaryPercent: 5, revision: seen, reason };
    await expect(setTraffic(database.prisma, MIA, traffic)).rejects.toEqual(
      conflict(/only a version that is ready/),
    );
    const arm = { version: 2, minutes: 10, revision: seen, reason };
    await expect(armPromotion(database.prisma, MIA, arm)).rejects.toEqual(
      conflict(/only a version that is ready/),
    );
    const retire = { version: 1, revision: seen, reason };
    await expect(retireVersion(database.prisma, MIA, retire)).rejects.toEqual(conflict(/readers follow it/));
    const verify = { version: 2, scope: "sample" as const, reason };
    await expect(requestVerification(database.prisma, MIA, verify)).rejects.toEqual(conflict(/loaded/));
    expect(await states()).toEqual({ 1: "active", 2: "building" });
    expect(await revision()).toBe(seen);
  });
});
