import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { auditRows, StaffHouse } from "../testing/staff";

let house: StaffHouse;
let headers: { cookie: string };

beforeAll(async () => {
  house = await StaffHouse.start();
  await house.insert("admin", "chief");
  headers = { cookie: await house.cookieOf("chief") };
});
afterAll(() => house.stop());

const newest = async () => (await auditRows(house.database.pool))[0];

describe("a change that fails", () => {
  it("is audited by the name of its target and the reason that was typed, beside the error", async () => {
    const { id } = await house.insert("viewer", "vera");
    const stale = { id, role: "trader", reason: "  moves to the desk ", version: 7 };
    expect((await house.call("user.setRole", stale, headers)).status).toBe(409);
    expect(await newest()).toMatchObject({
      ...{ action: "user.setRole", outcome: "failed", target: "user:vera", reason: "moves to the desk" },
      after: { procedure: "user.setRole", error: expect.stringContaining("Somebody else changed vera") },
    });
  });

  it("by its id where nothing has that id", async () => {
    const id = "00000000-0000-4000-8000-000000000000";
    expect((await house.call("token.revoke", { id, reason: "leaked" }, headers)).status).toBe(404);
    expect(await newest()).toMatchObject({ outcome: "failed", target: `token:${id}`, reason: "leaked" });
  });

  it("refused by the change itself: the last admin's own role", async () => {
    const { id } = await house.database.prisma.user.findFirstOrThrow({ where: { username: "chief" } });
    const own = { id, role: "viewer", reason: "a try", version: 0 };
    expect((await house.call("user.setRole", own, headers)).status).toBe(403);
    expect(await newest()).toMatchObject({
      ...{ outcome: "refused", target: "user:chief", reason: "a try" },
      after: { error: "Nobody changes their own role." },
    });
  });

  it.each([
    ["reserved.add", { pattern: "   ", kind: "contains", reason: "x" }, null],
    [
      "token.create",
      { name: "press", role: "viewer", expiresAt: "2020-01-01T00:00:00Z", reason: "ignored, but typed" },
      "token:press",
    ],
    ["outbox.replay", { seqs: ["1", "2"], reason: "mended" }, "outbox:2 events"],
    ["switch.set", { action: "gate.view", off: true, reason: "test" }, "switch:gate.view"],
  ])("%s %j", async (path, input, target) => {
    const before = await newest();
    expect((await house.call(path, input, headers)).status).toBeGreaterThanOrEqual(400);
    const after = await newest();
    if (target === null) expect(after, "a form filled in wrongly is no event").toEqual(before);
    else expect(after).toMatchObject({ outcome: "failed", target, reason: input.reason });
  });
});
