import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AppError } from "../../domain/app-error";
import { auditRows, insertUser } from "../../testing/staff";
import { createTestDatabase, insertUsersBySql, type TestDatabase } from "../../testing/test-database";
import { exportAudit } from "../audit/export-audit";
import { listAudit } from "../audit/list-audit";
import type { AuditContext } from "../audit/write-audit";
import { addReservedWord } from "../reserved-words/add-reserved-word";
import { dryRunReservedWord } from "../reserved-words/dry-run-reserved-word";
import { removeReservedWord } from "../reserved-words/remove-reserved-word";
import { createFirstAdmin } from "./create-first-admin";
import { verifyPassword } from "./hash-password";
import { listUsers } from "./list-users";
import { revokeSessions } from "./revoke-sessions";
import { setUserDisabled } from "./set-user-disabled";
import { setUserRole } from "./set-user-role";

let db: TestDatabase;
const audit = (action: string, id: string | null = null, role = "admin"): AuditContext => ({
  actor: { kind: id ? "user" : "cli", id, name: "tester", role },
  action,
  requestId: "request-1",
  address: "192.0.2.1",
});
const reason = "a test";
const codeOf = (error: unknown) => (error instanceof AppError ? error.code : String(error));
const outcomes = async (calls: Promise<unknown>[]) =>
  (await Promise.allSettled(calls))
    .map(result => (result.status === "fulfilled" ? "ok" : codeOf(result.reason)))
    .sort();
const user = (id: string) => db.prisma.user.findUniqueOrThrow({ where: { id } });

beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

describe("the first admin", () => {
  it("is created once, also when several first starts are concurrent", async () => {
    const made = await Promise.all([1, 2, 3].map(() => createFirstAdmin(db.prisma)));
    const admins = made.filter(one => one !== null);
    expect(admins).toHaveLength(1);
    const { id, username, password } = admins[0]!;
    expect(username).toBe("admin");
    expect(password).toMatch(/^([a-z2-9]{6}-){3}[a-z2-9]{6}$/);
    const { password: hash } = await db.prisma.account.findFirstOrThrow({ where: { userId: id } });
    expect(hash).toMatch(/^\$argon2id\$/);
    expect(await verifyPassword(hash!, password)).toBe(true);
    expect(JSON.stringify(await auditRows(db.pool))).not.toContain(password);
    await db.prisma.user.delete({ where: { id } });
    expect(await createFirstAdmin(db.prisma)).toBeNull();
  });
});

describe("roles", () => {
  it("change in one transaction with their audit row", async () => {
    const { id } = await insertUser(db.prisma, "viewer", "ruth");
    await setUserRole(db.prisma, audit("user.setRole"), { id, role: "operator", reason, version: 0 });
    expect(await user(id)).toMatchObject({ role: "operator", version: 1 });
    expect((await auditRows(db.pool))[0]).toMatchObject({
      actor_kind: "cli",
      action: "user.setRole",
      target: "user:ruth",
      outcome: "ok",
      reason,
      before: { id, role: "viewer" },
      after: { id, role: "operator" },
      address: "192.0.2.1",
    });
    const unwritable = { ...audit("user.setRole"), actor: { ...audit("").actor, kind: "martian" as "cli" } };
    const change = { id, role: "trader" as const, reason, version: 1 };
    await expect(setUserRole(db.prisma, unwritable, change)).rejects.toThrow();
    expect(await user(id)).toMatchObject({ role: "operator", version: 1 });
  });

  it("saved by two users at once: one gets a conflict", async () => {
    const { id } = await insertUser(db.prisma, "viewer", "twice");
    const save = (role: "trader" | "operator") =>
      setUserRole(db.prisma, audit("user.setRole"), { id, role, reason, version: 0 });
    expect(await outcomes([save("trader"), save("operator")])).toEqual(["CONFLICT", "ok"]);
    expect((await user(id)).version).toBe(1);
    expect(await auditRows(db.pool, "target = 'user:twice'")).toHaveLength(1);
  });

  it("can't be changed by their own user, and the last admin stays", async () => {
    const anna = await insertUser(db.prisma, "admin", "anna");
    const boris = await insertUser(db.prisma, "admin", "boris");
    const demote = (target: string, actor: string) =>
      setUserRole(db.prisma, audit("user.setRole", actor), {
        id: target,
        role: "viewer",
        reason,
        version: 0,
      });
    expect(await outcomes([demote(anna.id, anna.id)])).toEqual(["FORBIDDEN"]);
    // Both demote each other at the same time.
    expect(await outcomes([demote(anna.id, boris.id), demote(boris.id, anna.id)])).toEqual([
      "FORBIDDEN",
      "ok",
    ]);
    const last = (await db.prisma.user.findMany({ where: { role: "admin" } }))[0]!;
    const disable = { id: last.id, disabled: true, reason, version: last.version };
    expect(await outcomes([setUserDisabled(db.prisma, audit("user.disable"), disable)])).toEqual([
      "FORBIDDEN",
    ]);
    expect((await user(last.id)).disabledAt).toBeNull();
    // A disabled admin does not count as another admin.
    const spare = await insertUser(db.prisma, "admin", "spare");
    await setUserDisabled(db.prisma, audit("user.disable"), { ...disable, id: spare.id, version: 0 });
    expect(await outcomes([demote(last.id, spare.id)])).toEqual(["FORBIDDEN"]);
  });

  it("of an unknown user: not found", async () => {
    const id = "00000000-0000-4000-8000-000000000000";
    const calls = [
      setUserRole(db.prisma, audit("user.setRole"), { id, role: "viewer", reason, version: 0 }),
      revokeSessions(db.prisma, audit("user.revokeSessions"), { id, reason }),
    ];
    expect(await outcomes(calls)).toEqual(["NOT_FOUND", "NOT_FOUND"]);
  });
});

describe("disabling", () => {
  it("ends the sessions; an operator can't disable an admin, and a user can't disable themselves", async () => {
    const { id } = await insertUser(db.prisma, "trader", "tilda");
    const session = { token: "t1", userId: id, expiresAt: new Date(Date.now() + 60_000) };
    await db.prisma.session.create({ data: session });
    const change = { id, disabled: true, reason, version: 0 };
    expect(await outcomes([setUserDisabled(db.prisma, audit("user.disable", id), change)])).toEqual([
      "FORBIDDEN",
    ]);
    await setUserDisabled(db.prisma, audit("user.disable", null, "operator"), change);
    expect(await db.prisma.session.count({ where: { userId: id } })).toBe(0);
    expect((await auditRows(db.pool))[0]).toMatchObject({ after: { disabled: true, sessionsEnded: 1 } });
    const chief = await insertUser(db.prisma, "admin", "chief");
    const byOperator = audit("user.disable", "00000000-0000-4000-8000-000000000001", "operator");
    const call = setUserDisabled(db.prisma, byOperator, { ...change, id: chief.id });
    expect(await outcomes([call])).toEqual(["FORBIDDEN"]);
  });
});

describe("the audit log", () => {
  it.each([
    "UPDATE audit_log SET reason = 'nothing to see'",
    "UPDATE audit_log SET reason = '' WHERE false",
    "DELETE FROM audit_log",
    "TRUNCATE audit_log",
    "TRUNCATE users, audit_log CASCADE",
    "SET LOCAL session_replication_role = replica; DELETE FROM audit_log",
    "INSERT INTO audit_log OVERRIDING SYSTEM VALUE SELECT * FROM audit_log ON CONFLICT (id) DO UPDATE SET at = now()",
  ])("refuses even its owner: %s", async sql => {
    const before = await auditRows(db.pool, "true", 1_000);
    await expect(db.pool.query(sql)).rejects.toThrow(/can only be added to/);
    expect(await auditRows(db.pool, "true", 1_000)).toEqual(before);
  });

  it("is searched by literal text, and filtered", async () => {
    const word = { pattern: "Hundred", kind: "exact" as const, reason: "=cmd|'100%_sure'" };
    await addReservedWord(db.prisma, audit("reserved.edit"), word);
    const find = (filter: object) => listAudit(db.prisma, { page: 1, pageSize: 10, ...filter });
    expect((await find({ search: "100%_SURE" })).rows).toMatchObject([{ target: "reserved:Hundred" }]);
    expect((await find({ search: "100__sure" })).total).toBe(0);
    expect((await find({ action: "reserved.edit", outcome: "ok", actor: "tester" })).total).toBe(1);
    expect((await find({ from: new Date(Date.now() + 60_000) })).total).toBe(0);
    expect((await find({ from: new Date(0), to: new Date(8.64e15) })).total).toBeGreaterThan(1);
    const { csv, truncated } = await exportAudit(db.prisma, { search: "100%" });
    expect(truncated).toBe(false);
    expect(csv).toContain(`"'=cmd|'100%_sure'"`);
    expect(csv.split("\r\n")).toHaveLength(3);
  });
});

describe("the users list", () => {
  it("searches by literal prefix, sorts, filters and pages", async () => {
    await insertUsersBySql(db.pool, "list_", 30);
    const find = (filter: object) =>
      listUsers(db.prisma, { page: 1, pageSize: 10, sort: "username", order: "asc", ...filter });
    const found = await find({ search: "LIST_" });
    expect(found.total).toBe(30);
    expect(found.rows.map(row => row.username).slice(0, 3)).toEqual(["list_0", "list_1", "list_10"]);
    expect(found.rows[0]).toMatchObject({ role: "member", disabledAt: null, sessions: 0, version: 0 });
    expect((await find({ search: "list-" })).total).toBe(0);
    expect((await find({ search: "list%" })).total).toBe(0);
    expect((await find({ search: "list_", page: 3 })).rows).toHaveLength(10);
    expect((await find({ status: "disabled" })).rows.map(row => row.username)).toEqual(["spare", "tilda"]);
    expect((await find({ role: "trader", status: "active", search: "tilda" })).total).toBe(0);
    expect((await find({ sort: "role", order: "desc" })).rows[0]?.role).toBe("viewer");
    const newest = await find({ sort: "createdAt", order: "desc" });
    expect(newest.rows[0]?.username).toMatch(/^list_/);
  });
});

describe("the users list of many users with one prefix", () => {
  it("is sorted among a bounded number of them, and says that there are more", async () => {
    await insertUsersBySql(db.pool, "many_", 6_000);
    const find = (filter: object) =>
      listUsers(db.prisma, { page: 1, pageSize: 10, sort: "createdAt", order: "desc", ...filter });
    const all = await find({ search: "many_" });
    expect(all).toMatchObject({ isCut: true });
    expect(all.total).toBeGreaterThanOrEqual(5_000);
    expect((await find({ search: "many_", status: "disabled" })).rows).toEqual([]);
    expect(await find({ search: "many_59" })).toMatchObject({ isCut: false, total: 111 });
    expect((await find({ search: "many_5999" })).rows).toMatchObject([{ username: "many_5999" }]);
    await db.pool.query("DELETE FROM users WHERE username_key LIKE 'many\\_%'");
  });
});

describe("reserved words", () => {
  it("dry run: counts the existing users by the rule of each kind", async () => {
    await insertUser(db.prisma, "member", "xylo-fan");
    await insertUser(db.prisma, "member", "xylofan.two");
    const run = (pattern: string, kind: "exact" | "contains" | "skeleton") =>
      dryRunReservedWord(db.prisma, { pattern, kind });
    const complete = expect.any(Number);
    expect(await run("XYLO", "contains")).toMatchObject({ blocked: 2, checked: complete, complete: true });
    expect(await run("xylo", "exact")).toMatchObject({ blocked: 0, examples: [] });
    expect(await run("xylofan", "skeleton")).toMatchObject({ blocked: 1, examples: ["xylo-fan"] });
    expect((await run("list_", "contains")).examples).toHaveLength(10);
    await expect(run("   ", "contains")).rejects.toThrow(/No username/);
  });

  it("added by two users at once, or removed by two: one of them succeeds", async () => {
    const word = { pattern: "both", kind: "exact" as const, reason };
    const add = () => addReservedWord(db.prisma, audit("reserved.edit"), word);
    expect(await outcomes([add(), add()])).toEqual(["CONFLICT", "ok"]);
    const { id } = await db.prisma.reservedWord.findFirstOrThrow({ where: { pattern: "both" } });
    const remove = () => removeReservedWord(db.prisma, audit("reserved.edit"), { id, reason });
    expect(await outcomes([remove(), remove()])).toEqual(["NOT_FOUND", "ok"]);
    expect(await auditRows(db.pool, "target = 'reserved:both'")).toHaveLength(2);
  });
});

describe("an action on a user", () => {
  const ACTIONS = {
    "user.setRole": (id: string, by: AuditContext, version: number) =>
      setUserRole(db.prisma, by, { id, role: "viewer", reason, version }),
    "user.disable": (id: string, by: AuditContext, version: number) =>
      setUserDisabled(db.prisma, by, { id, disabled: true, reason, version }),
    "user.enable": (id: string, by: AuditContext, version: number) =>
      setUserDisabled(db.prisma, by, { id, disabled: false, reason, version }),
    "user.revokeSessions": (id: string, by: AuditContext) => revokeSessions(db.prisma, by, { id, reason }),
  };
  const OTHER = "00000000-0000-4000-8000-000000000001";
  const CALLERS: [name: string, by: AuditContext["actor"]][] = [
    ["an operator", { kind: "user", id: OTHER, name: "op", role: "operator" }],
    ["a token with the role operator", { kind: "token", id: OTHER, name: "op-token", role: "operator" }],
    ["a token with the scope alone", { kind: "token", id: OTHER, name: "scoped", role: "member" }],
    ["an admin", { kind: "user", id: OTHER, name: "chief", role: "admin" }],
    ["the command line", { kind: "cli", id: null, name: "cli", role: null }],
  ];
  const actions = Object.keys(ACTIONS) as (keyof typeof ACTIONS)[];
  const table = actions.flatMap(action => CALLERS.map(([name, actor]) => ({ action, name, actor })));
  let made = 0;

  it.each(table)("$action by $name spares admins from all but admins", async ({ action, actor }) => {
    const mayChangeAdmins = actor.kind === "cli" || actor.role === "admin";
    for (const role of ["member", "viewer", "trader", "operator", "admin"] as const) {
      made += 1;
      const target = await insertUser(db.prisma, role, `target${made}`);
      const by = { ...audit(action), actor };
      const done = await outcomes([ACTIONS[action](target.id, by, 0)]);
      expect(done, role).toEqual([role === "admin" && !mayChangeAdmins ? "FORBIDDEN" : "ok"]);
    }
  });
});
