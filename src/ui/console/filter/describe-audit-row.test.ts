import { expect, test } from "vitest";
import type { AuditRow } from "../contract";
import { describeAuditRow } from "./describe-audit-row";

const row = (more: Partial<AuditRow>): AuditRow => ({
  id: "1",
  at: "2026-01-01T00:00:00Z",
  actorKind: "user",
  actorId: null,
  actorName: "mia",
  role: null,
  action: "filter.promote",
  target: "filter:v2",
  before: null,
  after: null,
  reason: null,
  outcome: "ok",
  requestId: null,
  address: null,
  ...more,
});

test.each<[string, Partial<AuditRow>]>([
  ["Promoted v2, in place of v1", { before: { active: 1 }, after: { active: 2, previous: 1 } }],
  ["Promoted v2", { before: { active: null }, after: { active: 2 } }],
  ["Approved v2", { after: { approvedBy: "mia" } }],
  ["Rolled back from v2 to v1", { action: "filter.rollback", before: { active: 2 }, after: { active: 1 } }],
  [
    "v2 went from building to catching-up",
    { action: "filter.advance", before: { state: "building" }, after: { state: "catching-up" } },
  ],
  ["Armed v2", { action: "filter.arm", after: { armedUntil: "2026-01-01T01:00:00Z" } }],
  ["Disarmed v2", { action: "filter.arm", after: { armedUntil: null } }],
  [
    "The time limit of the armed v2 ended",
    { action: "filter.arm", actorKind: "system", after: { armedUntil: null }, outcome: "failed" },
  ],
  ["v2 failed its verification", { action: "filter.verified", actorKind: "system", outcome: "failed" }],
  [
    "Scheduled a rebuild every 24 h",
    { action: "filter.schedule", target: "filter:schedule", after: { everyHours: 24 } },
  ],
])("%s", (words, more) => {
  expect(describeAuditRow(row(more))).toBe(words);
});

test("a refused or failed action does not read like a successful one", () => {
  expect(describeAuditRow(row({ outcome: "refused" }))).toBe("Refused: filter.promote of v2");
  expect(describeAuditRow(row({ outcome: "failed", after: { error: "CONFLICT" } }))).toBe(
    "Failed: filter.promote of v2",
  );
});

test("an unknown action is shown by its name", () => {
  expect(describeAuditRow(row({ action: "filter.repair", target: null }))).toBe(
    "filter.repair of the filter",
  );
});
