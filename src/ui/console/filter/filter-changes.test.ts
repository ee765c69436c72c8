import { expect, test } from "vitest";
import type { Gate } from "../../../domain/filter/filter-gates";
import type { ConsoleClient, FilterStatus, VersionStatus } from "../contract";
import { blockedBy, rebuildBlocked } from "./disabled-reason";
import { draftOf } from "./draft";
import { VERSION_CHANGES } from "./filter-changes";
import { promote } from "./promote-change";
import { summaryOf } from "./summary-of";

const gate = (verdict: Gate["verdict"], name: Gate["name"] = "rows"): Gate => ({
  ...{ name, title: name, verdict, value: "", threshold: "", waivable: name === "shadow" },
});

function version(number: number, state: VersionStatus["state"], more: Partial<VersionStatus> = {}) {
  const made: VersionStatus = {
    ...{ version: number, state, engine: "bitmap", capacity: 1_000, shardCapacity: 10, errorRate: 0.01 },
    ...{ sizeBytes: 4_096, requestedBy: "mia", reason: null, failure: null, progress: {}, report: null },
    ...{ gates: [], forecast: null, verifyRequest: null, shadowPercent: 0, canaryPercent: 0 },
    ...{ armedUntil: null, armedBy: null, approvedBy: null, bakeUntil: null, activatedAt: null },
    ...{ switchedAt: null, createdAt: "2026-01-01T00:00:00Z", stateAt: "2026-01-01T00:00:00Z" },
  };
  return { ...made, ...more };
}

const status = (versions: VersionStatus[], more: Partial<FilterStatus> = {}): FilterStatus => ({
  ...{ revision: 7, approvals: 1, engine: "bitmap", readers: [], pendingEvents: 0, versions },
  ...{ schedule: { everyHours: null, setBy: null }, pointer: { version: 1, revision: 7 } },
  ...more,
});

/** No call is made by building a confirmation. */
const api = {} as Pick<ConsoleClient, "filter">;
const draft = draftOf(undefined, null);

test("what the state does not allow is blocked with a reason", () => {
  const [one, two] = [version(1, "active"), version(2, "building")];
  const now = status([one, two]);
  expect(blockedBy("retire", now, one)).toMatch(/Readers follow v1/);
  expect(blockedBy("promote", now, two)).toMatch(/not verified/);
  expect(blockedBy("rollback", now)).toMatch(/nothing to go back to/);
  expect(blockedBy("cancel", now, two)).toBeUndefined();
  expect(rebuildBlocked(now)).toMatch(/v2 is building/);
});

test("a version that was left because of a fault is no way back", () => {
  const now = status([version(1, "active"), version(2, "previous", { failure: "3 shards are broken" })]);
  expect(blockedBy("rollback", now)).toMatch(/Verify every row/);
  expect(blockedBy("promote", now, now.versions[1])).toMatch(/Verify every row/);
});

test("promotion says who is kept and who goes", () => {
  const three = version(3, "ready", { gates: [gate("pass")] });
  const now = status([version(1, "previous"), version(2, "active"), three]);
  const asked = promote(api, { status: now, of: three, draft, me: "mia" });
  expect(asked.consequence).toMatch(/v2 is kept for rollback\. v1 will be retired\./);
  expect(asked.blocked).toBeUndefined();
  expect(asked.reach).toBe("large");
});

test("only a comparison without data can be done without; a failed one never", () => {
  const ask = (verdict: Gate["verdict"], name: Gate["name"], waive: boolean) => {
    const of = version(2, "ready", { gates: [gate(verdict, name)] });
    const about = { status: status([version(1, "active"), of]), of, draft: { ...draft, waive }, me: "mia" };
    return promote(api, about).blocked;
  };
  expect(ask("no data", "shadow", false)).toMatch(/promote without it/);
  expect(ask("no data", "shadow", true)).toBeUndefined();
  expect(ask("fail", "shadow", true)).toMatch(/fails/);
  expect(ask("no data", "rows", true)).toMatch(/no data/);
});

test("of two approvals nobody gives both", () => {
  const of = version(2, "ready", { approvedBy: "mia" });
  const about = { status: status([version(1, "active"), of], { approvals: 2 }), of, draft };
  expect(promote(api, { ...about, me: "mia" }).blocked).toMatch(/another person/);
  expect(promote(api, { ...about, me: "ben" }).blocked).toBeUndefined();
  expect(promote(api, { ...about, me: "ben" }).consequence).toMatch(/^mia has agreed/);
});

test("a larger canary asks louder than a smaller one; retiring asks for the name", () => {
  const of = version(2, "ready", { canaryPercent: 25 });
  const now = status([version(1, "active"), of]);
  const canary = (canaryPercent: number) =>
    VERSION_CHANGES.setTraffic(api, { status: now, of, draft: { ...draft, canaryPercent } }).reach;
  expect([canary(50), canary(10), canary(1)]).toEqual(["large", "small", "small"]);
  expect(VERSION_CHANGES.retire(api, { status: now, of, draft }).typedName).toBe("v2");
});

const cells = (state: "sealed" | "missing" | "full" | "unreachable", count: number) =>
  Array.from({ length: 256 }, (_, n) => ({
    shard: n.toString(16).padStart(2, "0"),
    state: n < count ? state : ("sealed" as const),
    ...{ items: 1, fill: 0.1, falsePositiveRate: 0, madeAt: null },
  }));
const reader = { instance: "one", version: 1, revision: 7, ageMs: 300 };

test("the answer is as bad as its worst part, and unknown is not all right", () => {
  const now = status([version(1, "active")], { readers: [reader] });
  expect(summaryOf(now, cells("sealed", 0)).state).toBe("ok");
  expect(summaryOf(now, undefined).state).toBe("unknown");
  expect(summaryOf(now, cells("unreachable", 1)).state).toBe("unknown");
  expect(summaryOf(now, cells("full", 1)).state).toBe("warning");
  expect(summaryOf(now, cells("missing", 1)).word).toMatch(/not whole: 1 of 256/);
  expect(summaryOf({ ...now, pointer: null }, cells("sealed", 0)).state).toBe("unknown");
  expect(summaryOf({ ...now, readers: [] }, cells("sealed", 0)).state).toBe("unknown");
  expect(summaryOf({ ...now, readers: [{ ...reader, revision: 6 }] }, cells("sealed", 0)).state).toBe(
    "warning",
  );
  expect(summaryOf(status([]), undefined).word).toMatch(/No version answers/);
});
