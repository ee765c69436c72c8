import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { auditRows, StaffFixture } from "../testing/staff";

let fixture: StaffFixture;
let headers: { cookie: string };

beforeAll(async () => {
  fixture = await StaffFixture.start();
  await fixture.insert("admin", "chief");
  headers = { cookie: await fixture.cookieOf("chief") };
});
afterAll(() => fixture.stop());

const newest = async () => (await auditRows(fixture.database.pool))[0];

describe("a change that fails", () => {
  it("is audited with the name of its target, its reason and the error", async () => {
    const { id } = await fixture.insert("viewer", "vera");
    const stale = { id, role: "trader", reason: "  moves to the desk ", version: 7 };
    expect((await fixture.call("user.setRole", stale, headers)).status).toBe(409);
    expect(await newest()).toMatchObject({
      action: "user.setRole",
      outcome: "failed",
      target: "user:vera",
      reason: "moves to the desk",
      after: { procedure: "user.setRole", error: expect.stringContaining("Another user has changed vera") },
    });
  });

  it("is audited with the id of its target where no row has that id", async () => {
    const id = "00000000-0000-4000-8000-000000000000";
    expect((await fixture.call("token.revoke", { id, reason: "leaked" }, headers)).status).toBe(404);
    expect(await newest()).toMatchObject({ outcome: "failed", target: `token:${id}`, reason: "leaked" });
  });

  it("is audited as refused when the service refuses it: the last admin's own role", async () => {
    const { id } = await fixture.database.prisma.user.findFirstOrThrow({ where: { username: "chief" } });
    const own = { id, role: "viewer", reason: "a try", version: 0 };
    expect((await fixture.call("user.setRole", own, headers)).status).toBe(403);
    expect(await newest()).toMatchObject({
      outcome: "refused",
      target: "user:chief",
      reason: "a try",
      after: { error: "You cannot change your own role." },
    });
  });

  it.each([
    ["reserved.add", { pattern: "   ", kind: "contains", reason: "x" }, null],
    [
      "token.create",
      { name: "press", role: "viewer", expiresAt: "2020-01-01T00:00:00Z", reason: "ignored, but typed" },
      "token:press",
    ],
    ["outbox.replay", { seqs: ["1", "2"], reason: "payload corrected" }, "outbox:2 events"],
    ["switch.set", { action: "gate.view", off: true, reason: "test" }, "switch:gate.view"],
  ])("audits %s %j", async (path, input, target) => {
    const before = await newest();
    expect((await fixture.call(path, input, headers)).status).toBeGreaterThanOrEqual(400);
    const after = await newest();
    if (target === null) expect(after, "invalid input is not audited").toEqual(before);
    else expect(after).toMatchObject({ outcome: "failed", target, reason: input.reason });
  });
});
