import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ACTIONS, type Action, decide, decideForToken, ROLES, type Role } from "../domain/access/permissions";
import { nextAddress } from "../testing/server-gate";
import { auditRows, insertToken, StaffFixture } from "../testing/staff";
import { appRouter } from "./router";

/** Procedures without a permission. A procedure that is neither here nor has an action fails this test. */
const PUBLIC = [
  "account.me",
  "account.signOut",
  "account.signUp",
  "session.me",
  "session.signInMethods",
  "username.check",
];

type Procedure = { _def: { type: "query" | "mutation" | "subscription"; meta?: { action?: Action } } };
const PROCEDURES = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>).map(
  ([path, { _def }]) => ({ path, type: _def.type, action: _def.meta?.action }),
);
const GUARDED = PROCEDURES.filter(procedure => procedure.action !== undefined) as {
  path: string;
  type: Procedure["_def"]["type"];
  action: Action;
}[];

let fixture: StaffFixture;
let cookies: Record<Role, string>;
const bearer: Record<string, string> = {};
let serial = 0;

/** Valid input where the test needs a change; a refusal comes before the input is read. */
async function inputOf(path: string): Promise<unknown> {
  serial += 1;
  const reason = "a test";
  if (path === "reserved.add") return { pattern: `word${serial}`, kind: "exact", reason };
  if (path === "reserved.dryRun") return { pattern: "word", kind: "contains" };
  if (path === "token.create") return { name: `token${serial}`, role: "viewer" };
  if (path === "switch.set") return { action: "outbox.replay", off: serial % 2 === 0, reason };
  if (path === "reserved.remove") {
    const data = { pattern: `gone${serial}`, kind: "exact", reason, createdBy: "test" };
    return { id: (await fixture.database.prisma.reservedWord.create({ data })).id, reason };
  }
  if (path === "symbol.add") return { symbol: `NEW${serial}`, priceDecimals: 2, quantityDecimals: 8, reason };
  if (path === "symbol.halt") {
    const data = { symbol: `HALT${serial}`, priceDecimals: 2, quantityDecimals: 8 };
    const { symbol } = await fixture.database.prisma.tradedSymbol.create({ data });
    return { symbol, expectedVersion: 0, reason };
  }
  if (path === "token.revoke") {
    const data = { name: `revoked${serial}`, role: "viewer", hash: `hash${serial}`, createdBy: "test" };
    return { id: (await fixture.database.prisma.serviceToken.create({ data })).id, reason };
  }
  if (path.startsWith("user.")) {
    const { id } = await fixture.insert("member", `target${serial}`);
    return { id, reason, version: 0, role: "viewer", disabled: true };
  }
  return {};
}

/** The status of a call; the response of a subscription does not end. */
function statusOf(procedure: { path: string; type: string }, input: unknown, headers: object) {
  const isMutation = procedure.type === "mutation";
  const query = isMutation ? "" : `?input=${encodeURIComponent(JSON.stringify(input))}`;
  return new Promise<number>((resolve, reject) => {
    const req = request(
      `${fixture.server.url}/api/trpc/${procedure.path}${query}`,
      { method: isMutation ? "POST" : "GET", headers: { "content-type": "application/json", ...headers } },
      res => {
        if (procedure.type !== "subscription") {
          resolve(res.statusCode!);
          res.destroy();
          return;
        }
        // A stream opens with 200; its first event carries the refusal.
        let text = "";
        res.setEncoding("utf8");
        res.on("error", () => {});
        res.on("data", (chunk: string) => {
          text += chunk;
          const isRefusal = text.includes("serialized-error");
          if (isRefusal && !text.includes('"httpStatus":')) return;
          if (!isRefusal && !/^id: /m.test(text)) return;
          resolve(Number(/"httpStatus":(\d+)/.exec(text)?.[1] ?? 200));
          res.destroy();
        });
      },
    );
    req.on("error", reject);
    req.end(isMutation ? JSON.stringify(input) : undefined);
  });
}

async function stateOfEverything(): Promise<string> {
  const tables = [
    "users",
    "sessions",
    "accounts",
    "reserved_words",
    "service_tokens",
    "action_switches",
    "traded_symbols",
  ];
  // A refused token was used, too, which is noted once a minute.
  const row = "(to_jsonb(t) - 'last_used_at')::text";
  const sums = tables.map(
    table => `(SELECT md5(coalesce(string_agg(${row}, ',' ORDER BY ${row}), '')) FROM ${table} t)`,
  );
  const { rows } = await fixture.database.pool.query(`SELECT concat_ws(' ', ${sums.join(", ")}) AS state`);
  return rows[0].state;
}

async function expectAllowed(procedure: (typeof GUARDED)[0], headers: object) {
  const input = await inputOf(procedure.path);
  const status = await statusOf(procedure, input, { ...headers, "x-forwarded-for": nextAddress() });
  if (/^(user|reserved|token|switch)\.|^symbol\.(add|halt)$/.test(procedure.path))
    expect(status, procedure.path).toBe(200);
  else expect([401, 403, 404], procedure.path).not.toContain(status);
}

async function expectRefused(procedure: (typeof GUARDED)[0], headers: object, status: 401 | 403) {
  const { path, action } = procedure;
  const input = await inputOf(path);
  const before = await stateOfEverything();
  const address = nextAddress();
  expect(await statusOf(procedure, input, { ...headers, "x-forwarded-for": address }), path).toBe(status);
  expect(await stateOfEverything(), path).toBe(before);
  const rows = await auditRows(fixture.database.pool, `address = '${address}'`);
  expect(rows, path).toMatchObject([{ action, target: path, outcome: "refused" }]);
}

const none = new Set<Action>();

beforeAll(async () => {
  fixture = await StaffFixture.start();
  const entries: [Role, string][] = [];
  for (const role of ROLES) {
    await fixture.insert(role, `the-${role}`);
    entries.push([role, await fixture.cookieOf(`the-${role}`)]);
  }
  // A second admin, so that no sample changes the last one.
  await fixture.insert("admin", "another-admin");
  cookies = Object.fromEntries(entries) as Record<Role, string>;
  const make = async (
    name: string,
    grant: { role: "viewer" | "operator" | "admin" | null; scopes: Action[] },
  ) => {
    const secret = await insertToken(fixture.database.prisma, { name, ...grant });
    bearer[name] = `Bearer ${secret}`;
    await fixture.ask("session.me", undefined, { authorization: bearer[name] });
  };
  for (const role of ["viewer", "operator", "admin"] as const) await make(role, { role, scopes: [] });
  await make("scoped", { role: null, scopes: ["reserved.view", "reserved.edit", "token.manage"] });
  await make("revoked", { role: "admin", scopes: [] });
  await make("expired", { role: "admin", scopes: [] });
  await fixture.database.pool.query(
    `UPDATE service_tokens SET revoked_at = CASE name WHEN 'revoked' THEN now() END,
                               expires_at = CASE name WHEN 'expired' THEN now() - interval '1 s' END`,
  );
});
afterAll(() => fixture.stop());

describe("every procedure, every role", () => {
  it("has an action, or is one of the public procedures", () => {
    const open = PROCEDURES.filter(procedure => procedure.action === undefined).map(({ path }) => path);
    expect(open.sort()).toEqual(PUBLIC);
    expect(GUARDED.length).toBeGreaterThan(10);
  });

  it("has an audited action with a kill switch when it is a mutation", () => {
    for (const { action, type } of GUARDED)
      if (type === "mutation") expect(ACTIONS[action].mutates, action).toBe(true);
  });

  // CVE-2025-29927: this header must not skip the check.
  describe.each([{}, { "x-middleware-subrequest": "src/middleware:src/middleware:middleware" }])(
    "with %j",
    extra => {
      it.each(ROLES)("obeys the table for the role %s", async role => {
        const headers = { ...extra, cookie: cookies[role] };
        for (const procedure of GUARDED) {
          if (decide(role, procedure.action, none).allowed) await expectAllowed(procedure, headers);
          else await expectRefused(procedure, headers, 403);
        }
      });

      it("refuses calls without a session", async () => {
        for (const procedure of GUARDED) await expectRefused(procedure, extra, 401);
      });

      it.each(["viewer", "operator", "admin"] as const)(
        "obeys the table for a token with the role %s",
        async role => {
          const headers = { ...extra, authorization: bearer[role] };
          for (const procedure of GUARDED) {
            const { allowed } = decideForToken({ role, scopes: [] }, procedure.action, none);
            if (allowed) await expectAllowed(procedure, headers);
            else await expectRefused(procedure, headers, 403);
          }
        },
      );

      it("obeys the scopes of a token", async () => {
        const headers = { ...extra, authorization: bearer.scoped };
        for (const procedure of GUARDED) {
          if (procedure.action.startsWith("reserved.")) await expectAllowed(procedure, headers);
          else await expectRefused(procedure, headers, 403);
        }
      });
    },
  );

  it.each(["revoked", "expired"])("refuses a token that is %s, also beside an admin's cookie", async name => {
    const headers = { cookie: cookies.admin, authorization: bearer[name] };
    for (const procedure of GUARDED) await expectRefused(procedure, headers, 401);
  });

  it.each(["Bearer fg_nonsense", "Basic YWRtaW46YWRtaW4=", "Bearer", `Bearer fg_${"a".repeat(43)}`])(
    "refuses the header %s",
    async authorization => {
      await expectRefused(GUARDED[0]!, { authorization }, 401);
    },
  );
});

describe("a kill switch", () => {
  it("stops an action for every role and token at once, is audited, and can be turned on again", async () => {
    const admin = { cookie: cookies.admin };
    const set = (off: boolean) =>
      fixture.call("switch.set", { action: "reserved.edit", off, reason: "incident 7" }, admin);
    expect((await set(true)).status).toBe(200);
    const procedure = GUARDED.find(({ path }) => path === "reserved.add")!;
    await expectRefused(procedure, admin, 403);
    await expectRefused(procedure, { authorization: bearer.scoped }, 403);
    const { can } = (await fixture.ask("session.me", undefined, admin)).json.result.data;
    expect(can["reserved.edit"]).toEqual({
      allowed: false,
      reason: "Switched off by a kill switch: Change reserved words.",
    });
    const rows = (await fixture.ask("switch.list", undefined, admin)).json.result.data;
    expect(rows.find((row: { action: string }) => row.action === "reserved.edit")).toMatchObject({
      off: true,
      by: "the-admin",
      reason: "incident 7",
    });
    expect((await set(false)).status).toBe(200);
    await expectAllowed(procedure, admin);
  });
});
