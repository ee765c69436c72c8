import { expect, test } from "vitest";
import type { Gate } from "../../../domain/filter/filter-gates";
import type { ConsoleClient, FilterStatus, VersionStatus } from "../contract";
import { draftOf } from "./draft";
import { disabledReason, rebuildDisabledReason } from "./filter-change";
import { VERSION_CONFIRMATIONS } from "./filter-confirmations";
import { promote } from "./promote-confirmation";
import { summarizeFilter } from "./summarize-filter";

const gate = (verdict: Gate["verdict"], name: Gate["name"] = "rows"): Gate => ({
  name,
  title: name,
  verdict,
  value: "",
  threshold: "",
  waivable: name === "shadow",
});

function version(number: number, state: VersionStatus["state"], more: Partial<VersionStatus> = {}) {
  const made: VersionStatus = {
    version: number,
    state,
    engine: "bitmap",
    capacity: 1_000,
    shardCapacity: 10,
    errorRate: 0.01,
    sizeBytes: 4_096,
    requestedBy: "mia",
    reason: null,
    failure: null,
    progress: {},
    report: null,
    gates: [],
    forecast: null,
    verifyRequest: null,
    shadowPercent: 0,
    canaryPercent: 0,
    armedUntil: null,
    armedBy: null,
    approvedBy: null,
    bakeUntil: null,
    activatedAt: null,
    switchedAt: null,
    createdAt: "2026-01-01T00:00:00Z",
    stateAt: "2026-01-01T00:00:00Z",
  };
  return { ...made, ...more };
}

const status = (versions: VersionStatus[], more: Partial<FilterStatus> = {}): FilterStatus => ({
  revision: 7,
  approvals: 1,
  engine: "bitmap",
  readers: [],
  pendingEvents: 0,
  versions,
  schedule: { everyHours: null, setBy: null },
  pointer: { version: 1, revision: 7 },
  ...more,
});

/** Building a confirmation calls nothing. */
const api = {} as Pick<ConsoleClient, "filter">;
const draft = draftOf(undefined, null);

test("a change that the state does not allow has a reason", () => {
  const [one, two] = [version(1, "active"), version(2, "building")];
  const now = status([one, two]);
  expect(disabledReason("retire", now, one)).toMatch(/v1 is active/);
  expect(disabledReason("promote", now, two)).toMatch(/not verified/);
  expect(disabledReason("rollback", now)).toMatch(/nothing to go back to/);
  expect(disabledReason("cancel", now, two)).toBeUndefined();
  expect(rebuildDisabledReason(now)).toMatch(/v2 is building/);
});

test("a failed version can't be rolled back to", () => {
  const now = status([version(1, "active"), version(2, "previous", { failure: "3 shards are broken" })]);
  expect(disabledReason("rollback", now)).toMatch(/Verify every row/);
  expect(disabledReason("promote", now, now.versions[1])).toMatch(/Verify every row/);
});

test("a promotion names the version that is kept and the one that is retired", () => {
  const three = version(3, "ready", { gates: [gate("pass")] });
  const now = status([version(1, "previous"), version(2, "active"), three]);
  const confirmation = promote(api, { status: now, of: three, draft, me: "mia" });
  expect(confirmation.consequence).toMatch(/v2 is kept for rollback\. v1 will be retired\./);
  expect(confirmation.disabledReason).toBeUndefined();
  expect(confirmation.reach).toBe("large");
});

test("only a shadow gate without data can be waived", () => {
  const reasonOf = (verdict: Gate["verdict"], name: Gate["name"], waive: boolean) => {
    const of = version(2, "ready", { gates: [gate(verdict, name)] });
    const about = { status: status([version(1, "active"), of]), of, draft: { ...draft, waive }, me: "mia" };
    return promote(api, about).disabledReason;
  };
  expect(reasonOf("no data", "shadow", false)).toMatch(/promote without this gate/);
  expect(reasonOf("no data", "shadow", true)).toBeUndefined();
  expect(reasonOf("fail", "shadow", true)).toMatch(/fails/);
  expect(reasonOf("no data", "rows", true)).toMatch(/no data/);
});

test("one user can't give both approvals", () => {
  const of = version(2, "ready", { approvedBy: "mia" });
  const about = { status: status([version(1, "active"), of], { approvals: 2 }), of, draft };
  expect(promote(api, { ...about, me: "mia" }).disabledReason).toMatch(/another user/);
  expect(promote(api, { ...about, me: "ben" }).disabledReason).toBeUndefined();
  expect(promote(api, { ...about, me: "ben" }).consequence).toMatch(/^mia has approved/);
});

test("a larger canary reaches further than a smaller one; retiring asks for the name", () => {
  const of = version(2, "ready", { canaryPercent: 25 });
  const now = status([version(1, "active"), of]);
  const canary = (canaryPercent: number) =>
    VERSION_CONFIRMATIONS.setTraffic(api, { status: now, of, draft: { ...draft, canaryPercent } }).reach;
  expect([canary(50), canary(10), canary(1)]).toEqual(["large", "small", "small"]);
  expect(VERSION_CONFIRMATIONS.retire(api, { status: now, of, draft }).typedName).toBe("v2");
});

const cells = (state: "sealed" | "missing" | "full" | "unreachable", count: number) =>
  Array.from({ length: 256 }, (_, n) => ({
    shard: n.toString(16).padStart(2, "0"),
    state: n < count ? state : ("sealed" as const),
    items: 1,
    fill: 0.1,
    falsePositiveRate: 0,
    madeAt: null,
  }));
const reader = { instance: "one", version: 1, revision: 7, ageMs: 300 };

test("the summary has the state of its worst part, and unknown is not ok", () => {
  const now = status([version(1, "active")], { readers: [reader] });
  expect(summarizeFilter(now, cells("sealed", 0)).state).toBe("ok");
  expect(summarizeFilter(now, undefined).state).toBe("unknown");
  expect(summarizeFilter(now, cells("unreachable", 1)).state).toBe("unknown");
  expect(summarizeFilter(now, cells("full", 1)).state).toBe("warning");
  expect(summarizeFilter(now, cells("missing", 1)).word).toMatch(/incomplete: 1 of 256/);
  expect(summarizeFilter({ ...now, pointer: null }, cells("sealed", 0)).state).toBe("unknown");
  expect(summarizeFilter({ ...now, readers: [] }, cells("sealed", 0)).state).toBe("unknown");
  expect(summarizeFilter({ ...now, readers: [{ ...reader, revision: 6 }] }, cells("sealed", 0)).state).toBe(
    "warning",
  );
  expect(summarizeFilter({ ...now, pointer: null }, cells("missing", 1))).toMatchObject({
    state: "critical",
    word: expect.stringMatching(/incomplete/),
  });
  expect(summarizeFilter(status([]), undefined).word).toMatch(/No version is active/);
});
