import { beforeEach, describe, expect, it } from "vitest";
import type { VersionState } from "../../domain/filter/filter-version";
import { publishPointer, readPointer } from "../../filter/pointer";
import { filterFixture } from "../../testing/filter-fixture";
import { byOperator, insertVersionRow, passingReport, rolloutRevision } from "../../testing/rollout-state";
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

const fixture = filterFixture();
let deps: PromoteDeps;

beforeEach(() => {
  const { pool, prisma, redis } = fixture;
  deps = { pool, prisma, redis, approvals: 1, bakeMinutes: 15 };
});

const MIA = byOperator("mia");
const NOAH = byOperator("noah");
const reason = "monday morning";
const REQUEST = { capacity: 100_000, errorRate: 0.01, engine: "bitmap" as const, reason };

const insertVersion = (version: number, state: VersionState, more: object = {}) =>
  insertVersionRow(fixture.prisma, { version, state, ...more });
const revision = () => rolloutRevision(fixture.prisma);

async function states(): Promise<Record<number, string>> {
  const rows = await fixture.prisma.filterVersion.findMany({ orderBy: { version: "asc" } });
  return Object.fromEntries(rows.map(row => [row.version, row.state]));
}

const lastAudit = () => fixture.prisma.auditEntry.findFirstOrThrow({ orderBy: { id: "desc" } });
const promote = async (version: number, audit = MIA, more: object = {}) =>
  promoteVersion(deps, audit, { version, revision: await revision(), waive: ["shadow"], reason, ...more });
const conflict = (message: RegExp) =>
  expect.objectContaining({ code: "CONFLICT", message: expect.stringMatching(message) });

describe("requesting a rebuild", () => {
  it("inserts the next version, with an audit row", async () => {
    expect(await requestRebuild(fixture.prisma, MIA, REQUEST)).toEqual({ version: 1 });
    expect(await states()).toEqual({ 1: "requested" });
    expect(await lastAudit()).toMatchObject({ target: "filter:v1", actorName: "mia", reason, outcome: "ok" });
  });

  it("is refused while there is a candidate, also for the slower of two concurrent requests", async () => {
    const tries = await Promise.allSettled(
      [MIA, NOAH].map(audit => requestRebuild(fixture.prisma, audit, REQUEST)),
    );
    expect(tries.filter(one => one.status === "fulfilled")).toHaveLength(1);
    const refused = tries.find(one => one.status === "rejected");
    expect(refused?.reason).toEqual(conflict(/v1 is requested already/));
    expect(await states()).toEqual({ 1: "requested" });
  });

  it("can be cancelled in any state, and the worker's next transition then fails", async () => {
    await requestRebuild(fixture.prisma, MIA, REQUEST);
    await cancelRebuild(fixture.prisma, NOAH, { version: 1, reason });
    expect(await states()).toEqual({ 1: "discarding" });
    const step = { version: 1, from: "requested", to: "building", reason } as const;
    await expect(advanceVersion(fixture.prisma, step)).rejects.toEqual(conflict(/not requested any more/));
    await expect(cancelRebuild(fixture.prisma, NOAH, { version: 1, reason })).rejects.toEqual(
      conflict(/can be cancelled/),
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

  it("activates the version, keeps the previous one, and audits the gates", async () => {
    expect(await promote(2)).toEqual({ outcome: "promoted" });
    expect(await states()).toEqual({ 1: "previous", 2: "active" });
    const version = await fixture.prisma.filterVersion.findUniqueOrThrow({ where: { version: 2 } });
    expect(version).toMatchObject({ canaryPercent: 0, armedUntil: null, switchedAt: null });
    expect(version.bakeUntil!.getTime()).toBeGreaterThan(Date.now() + 14 * 60_000);
    const audit = await lastAudit();
    expect(audit.before).toEqual({ active: 1 });
    expect(audit.after).toMatchObject({ active: 2, previous: 1 });
    expect(JSON.stringify(audit.after)).toContain("0 missed of 3,000");
    await publishPointer(fixture.redis, fixture.pool);
    expect(await readPointer(fixture.redis)).toMatchObject({ version: 2, candidate: null });
  });

  it("retires the old previous version", async () => {
    await insertVersion(3, "previous");
    await promote(2);
    expect(await states()).toEqual({ 1: "previous", 2: "active", 3: "retiring" });
  });

  it("succeeds for one of two operators who decide at the same time", async () => {
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
      "misses a name",
      {
        report: {
          ...passingReport(),
          rows: { checked: 3_000, missed: 2, unproven: 0, missedShards: ["0a"] },
        },
      },
      /2 missed.*0a/,
    ],
    [
      "has a broken shard",
      { report: { ...passingReport(), shards: { sealed: 255, full: 0, broken: ["3f"] } } },
      /255 of 256; not 3f/,
    ],
  ])("refuses a version that %s", async (_, change, message) => {
    await fixture.prisma.filterVersion.delete({ where: { version: 2 } });
    await insertVersion(2, "ready", change);
    await expect(promote(2)).rejects.toEqual(conflict(message));
    expect(await states()).toEqual({ 1: "active", 2: "ready" });
  });

  it("is refused while the shadow gate has no data, unless it is waived", async () => {
    await expect(promote(2, MIA, { waive: [] })).rejects.toEqual(conflict(/agree.*no data/));
    expect(await promote(2)).toEqual({ outcome: "promoted" });
  });

  it("needs two people when two approvals are required", async () => {
    deps = { ...deps, approvals: 2 };
    expect(await promote(2, MIA)).toEqual({ outcome: "approved" });
    expect(await promote(2, MIA)).toEqual({ outcome: "approved" });
    expect(await states()).toEqual({ 1: "active", 2: "ready" });
    expect(await promote(2, NOAH)).toEqual({ outcome: "promoted" });
  });

  it("keeps the active version when the first version is promoted again", async () => {
    await fixture.prisma.filterVersion.deleteMany();
    await insertVersion(1, "previous", { autoPromote: true });
    await insertVersion(2, "active");
    await promote(1);
    expect(await states()).toEqual({ 1: "active", 2: "previous" });
  });

  it("by arming also needs two people when two approvals are required", async () => {
    const arm = async (audit: AuditContext) =>
      armPromotion(fixture.prisma, audit, { version: 2, minutes: 5, revision: await revision(), reason }, 2);
    await expect(arm(MIA)).rejects.toEqual(conflict(/Two people must approve/));
    deps = { ...deps, approvals: 2 };
    await promote(2, MIA);
    await expect(arm(MIA)).rejects.toEqual(conflict(/Two people must approve/));
    expect((await arm(NOAH)).armedUntil).not.toBeNull();
  });

  it.each<VersionState>(["requested", "building", "retired", "failed"])(
    "refuses a version that is %s",
    async state => {
      await fixture.prisma.filterVersion.delete({ where: { version: 2 } });
      await insertVersion(2, state);
      await expect(promote(2)).rejects.toEqual(conflict(/can't be promoted/));
    },
  );

  it("is refused for an unknown version", async () => {
    await expect(promote(9)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("a rollback", () => {
  it("activates the previous version, which can be promoted again", async () => {
    await insertVersion(1, "active");
    await insertVersion(2, "ready");
    await promote(2);
    expect(await rollbackVersion(fixture.prisma, MIA, { revision: await revision(), reason })).toEqual({
      active: 1,
    });
    expect(await states()).toEqual({ 1: "active", 2: "previous" });
    await promote(2);
    expect(await states()).toEqual({ 1: "previous", 2: "active" });
  });

  it("is refused when the previous version was retired", async () => {
    await insertVersion(1, "previous");
    await insertVersion(2, "active");
    await retireVersion(fixture.prisma, MIA, { version: 1, revision: await revision(), reason });
    const rollback = rollbackVersion(fixture.prisma, MIA, { revision: await revision(), reason });
    await expect(rollback).rejects.toEqual(conflict(/was retired/));
  });

  it("stays possible while readers do not follow the new version yet", async () => {
    await insertVersion(1, "previous");
    await insertVersion(2, "active", { switchedAt: null });
    const retire = { version: 1, revision: await revision(), reason };
    await expect(retireVersion(fixture.prisma, MIA, retire)).rejects.toEqual(
      conflict(/until they follow v2/),
    );
    expect(await rollbackVersion(fixture.prisma, MIA, { revision: await revision(), reason })).toEqual({
      active: 1,
    });
  });

  it("is not done by the worker for a version that is not active any more", async () => {
    await insertVersion(1, "active");
    await insertVersion(2, "previous");
    const late = { revision: null, expected: 2, reason: "a shard is broken", damaged: true };
    await expect(rollbackVersion(fixture.prisma, MIA, late)).rejects.toEqual(
      conflict(/v2 is not active any more/),
    );
    expect(await states()).toEqual({ 1: "active", 2: "previous" });
  });

  it("is refused for a damaged version until it is verified again", async () => {
    await insertVersion(1, "previous");
    await insertVersion(2, "active");
    await rollbackVersion(fixture.prisma, MIA, {
      revision: null,
      reason: "a shard is broken",
      damaged: true,
    });
    expect(await states()).toEqual({ 1: "active", 2: "previous" });
    const rollback = rollbackVersion(fixture.prisma, MIA, { revision: await revision(), reason });
    await expect(rollback).rejects.toEqual(conflict(/a shard is broken.*Verify/));
    await expect(promote(2)).rejects.toEqual(conflict(/a shard is broken.*every row/));
    await requestVerification(fixture.prisma, MIA, { version: 2, scope: "every-row", reason });
    expect(await fixture.prisma.filterVersion.findUnique({ where: { version: 2 } })).toMatchObject({
      verifyRequest: "every-row",
    });
  });
});

describe("a version that was rolled back because it is damaged", () => {
  const failure = "Automatic: 3 names are missing.";
  beforeEach(async () => {
    await insertVersion(1, "active");
    await insertVersion(2, "previous", { failure, report: undefined });
  });
  const verified = (scope: "sample" | "every-row", passed = true) =>
    storeReport(fixture.prisma, 2, { ...passingReport(), scope }, { passed });

  it("can be promoted when every row was looked up, and no name is missing", async () => {
    await verified("every-row");
    expect(await promote(2)).toEqual({ outcome: "promoted" });
    await rollbackVersion(fixture.prisma, MIA, { revision: await revision(), reason });
    expect(await states()).toEqual({ 1: "active", 2: "previous" });
  });

  it.each<[string, () => Promise<void>]>([
    ["only a sample passed", () => verified("sample")],
    ["every row was looked up, and some names are missing", () => verified("every-row", false)],
  ])("can't be promoted when %s", async (_, verify) => {
    await verify();
    await expect(promote(2)).rejects.toEqual(conflict(/3 names are missing.*Verify every row/));
    const rollback = rollbackVersion(fixture.prisma, MIA, { revision: await revision(), reason });
    await expect(rollback).rejects.toEqual(conflict(/3 names are missing.*Verify every row/));
    expect(await states()).toEqual({ 1: "active", 2: "previous" });
  });
});

describe("a decision that does not fit the state", () => {
  it("is refused, and changes nothing", async () => {
    await insertVersion(1, "active");
    await insertVersion(2, "building");
    const seen = await revision();
    const traffic = { version: 2, shadowPercent: 5, canaryPercent: 5, revision: seen, reason };
    await expect(setTraffic(fixture.prisma, MIA, traffic)).rejects.toEqual(conflict(/Only a ready version/));
    const arm = { version: 2, minutes: 10, revision: seen, reason };
    await expect(armPromotion(fixture.prisma, MIA, arm)).rejects.toEqual(conflict(/Only a ready version/));
    const retire = { version: 1, revision: seen, reason };
    await expect(retireVersion(fixture.prisma, MIA, retire)).rejects.toEqual(conflict(/readers follow it/));
    const verify = { version: 2, scope: "sample" as const, reason };
    await expect(requestVerification(fixture.prisma, MIA, verify)).rejects.toEqual(
      conflict(/can be verified/),
    );
    expect(await states()).toEqual({ 1: "active", 2: "building" });
    expect(await revision()).toBe(seen);
  });
});
