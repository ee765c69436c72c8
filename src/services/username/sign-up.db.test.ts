import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failureOf, newPerson, nextAddress, TestGate } from "../../testing/server-gate";
import { postJson, rawRequest } from "../../testing/server-raw-http";
import { metricOf } from "../../testing/test-gate";
import { waitFor } from "../../testing/wait-for";
import { verifyPassword } from "../access/hash-password";

let gate: TestGate;

beforeAll(async () => {
  gate = await TestGate.start();
});

afterAll(() => gate.stop());

const userOf = async (key: string) => {
  const { rows } = await gate.database.pool.query("SELECT * FROM users WHERE username_key = $1", [key]);
  return rows[0];
};

/** Signs up as a browser does and keeps the cookie. */
async function signUpByHttp(person: ReturnType<typeof newPerson>) {
  const answer = await postJson(`${gate.server.url}/api/trpc/account.signUp`, person, {
    "x-forwarded-for": nextAddress(),
    "user-agent": "a browser",
  });
  const cookies = [answer.headers["set-cookie"] ?? []].flat();
  return { answer, cookies, cookie: cookies.map(cookie => cookie.split(";", 1)[0]).join("; ") };
}

describe("signing up", () => {
  it("writes user, credential, outbox row and session, and the name as it was typed", async () => {
    const person = newPerson(" Ada.Lovelace ", { email: "Ada@Example.COM" });
    const { answer, cookie } = await signUpByHttp(person);
    expect(answer.status).toBe(200);
    expect(answer.json.result.data).toEqual({ username: "Ada.Lovelace", signedIn: true });

    const user = await userOf("ada.lovelace");
    expect(user).toMatchObject({
      username: "Ada.Lovelace",
      username_skeleton: "ada.lovelace",
      policy_version: 2,
      email: "ada@example.com",
      email_verified: false,
    });
    const accounts = await gate.database.prisma.account.findMany({ where: { userId: user.id } });
    expect(accounts).toHaveLength(1);
    expect(accounts[0]).toMatchObject({ providerId: "credential", accountId: user.id });
    expect(accounts[0]!.password).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await verifyPassword(accounts[0]!.password!, person.password)).toBe(true);
    expect(await verifyPassword(accounts[0]!.password!, `${person.password}!`)).toBe(false);

    const { rows: events } = await gate.database.pool.query(
      "SELECT type, payload FROM outbox WHERE aggregateid = $1",
      [user.id],
    );
    expect(events).toEqual([{ type: "username.claimed", payload: { v: 1, key: "ada.lovelace" } }]);
    const sessions = await gate.database.prisma.session.findMany({ where: { userId: user.id } });
    expect(sessions).toHaveLength(1);
    expect(sessions[0]!.userAgent).toBe("a browser");
    expect(sessions[0]!.expiresAt.getTime()).toBeGreaterThan(Date.now() + 6 * 24 * 3_600_000);
    expect(cookie).toContain("floodgate");
  });

  it("sets an HttpOnly cookie that signs in and that signing out revokes", async () => {
    const { cookies, cookie } = await signUpByHttp(newPerson("grace"));
    expect(cookies.length).toBeGreaterThan(0);
    for (const one of cookies) {
      expect(one).toMatch(/HttpOnly/i);
      expect(one).toMatch(/SameSite=Lax/i);
      expect(one).toMatch(/Path=\//i);
    }
    const browser = gate.client({ cookie });
    expect(await browser.account.me.query()).toMatchObject({ username: "grace" });
    expect(await gate.client().account.me.query()).toBeNull();

    const out = await postJson(`${gate.server.url}/api/trpc/account.signOut`, undefined, { cookie });
    expect(out.status).toBe(200);
    expect([out.headers["set-cookie"] ?? []].flat().join()).toMatch(/Max-Age=0/i);
    // The server refuses the old cookie, also when a client keeps it.
    expect(await browser.account.me.query()).toBeNull();
    const user = await userOf("grace");
    expect(await gate.count("sessions", `user_id = '${user.id}'`)).toBe(0);
  });

  it("ignores a malformed cookie, and signs out without one", async () => {
    for (const cookie of [
      "floodgate.session_token=garbage",
      "floodgate.session_token=%E0%A4%A",
      "floodgate.session_token=a.b; ; =; x",
      `floodgate.session_token=${"x".repeat(4_000)}`,
      "\u00ff\u00fe=1",
    ]) {
      const me = await rawRequest(`${gate.server.url}/api/trpc/account.me`, { headers: { cookie } });
      expect([cookie, me.status, me.json?.result?.data]).toEqual([cookie, 200, null]);
      const out = await postJson(`${gate.server.url}/api/trpc/account.signOut`, undefined, { cookie });
      expect([cookie, out.status]).toEqual([cookie, 200]);
    }
    await gate.client().account.signOut.mutate();
  });

  it("adds the name to the filter, so that the next check is answered maybe and confirmed", async () => {
    await gate.signUp(newPerson("hopper"));
    await gate.delivered();
    const before = await metricOf(gate.server.registry, "db_fallback_total", { reason: "maybe" });
    expect(await gate.check("Hopper")).toEqual({ status: "taken", source: "database" });
    expect(await metricOf(gate.server.registry, "db_fallback_total", { reason: "maybe" })).toBe(before + 1);
  });
});

describe("a conflict", () => {
  // With the first one's password it would be the same sign-up once more.
  const password = "another horse battery staple";
  const first = newPerson("marie", { email: "marie@example.com" });
  beforeAll(async () => {
    await gate.signUp(first);
    await gate.delivered();
  });

  it.each([
    [
      "a free name with a known e-mail address",
      { username: "pierre", email: " MARIE@example.com " },
      "email",
    ],
    ["a taken name with a new e-mail address", { username: "Marie", email: "m2@example.com" }, "username"],
    ["both known", { username: "marie", email: "marie@example.com" }, "username"],
  ])("%s", async (_, { username, email }, field) => {
    const failure = await failureOf(gate.signUp(newPerson(username, { email, password })));
    expect(failure).toMatchObject({ code: "CONFLICT", httpStatus: 409, details: { field } });
    if (field === "email") {
      expect(failure.message).not.toMatch(/username|taken/i);
      expect(failure.details.suggestions).toBeUndefined();
    } else {
      expect(failure.message).toMatch(/username marie is taken/i);
    }
    expect(await gate.count("users", "username_key IN ('marie', 'pierre')")).toBe(1);
  });

  it("names the same field when only the INSERT finds it", async () => {
    await gate.stopRelay();
    await gate.redis.ask("FLUSHALL");
    const name = await failureOf(gate.signUp(newPerson("marie")));
    expect(name).toMatchObject({ code: "CONFLICT", details: { field: "username", rule: "taken" } });
    const email = await failureOf(gate.signUp(newPerson("curie", { email: "marie@example.com" })));
    expect(email).toMatchObject({ code: "CONFLICT", details: { field: "email" } });
    const both = await failureOf(gate.signUp(newPerson("marie", { email: "marie@example.com", password })));
    expect(both).toMatchObject({ code: "CONFLICT", details: { field: "username" } });
    // The filter did not answer absent, so there was no false negative.
    expect(await metricOf(gate.server.registry, "bloom_false_negative_total")).toBe(0);
    gate.startRelay();
    await waitFor("the filter to be whole", async () => {
      const answer = await gate.check("a-new-name");
      return answer.status === "available" && answer.source === "filter";
    });
  });

  it("with a look-alike of a taken name says so, with suggestions", async () => {
    await gate.signUp(newPerson("modern"));
    await gate.delivered();
    const failure = await failureOf(gate.signUp(newPerson("m0dern")));
    expect(failure).toMatchObject({
      code: "CONFLICT",
      details: { field: "username", rule: "lookalike" },
    });
    expect(failure.message).toMatch(/looks too much like/);
    expect(failure.details.suggestions!.length).toBeGreaterThan(0);
    expect(await userOf("m0dern")).toBeUndefined();
    expect(await metricOf(gate.server.registry, "bloom_false_negative_total")).toBe(0);
  });
});

describe("released names", () => {
  it("of deleted accounts can be taken, by the database's answer", async () => {
    await gate.signUp(newPerson("erin"));
    await gate.delivered();
    await gate.database.pool.query("DELETE FROM users WHERE username_key = 'erin'");
    await gate.delivered();
    expect(await gate.check("erin")).toEqual({ status: "available", source: "database" });
    expect(await gate.signUp(newPerson("Erin"))).toMatchObject({ username: "Erin" });
    expect(await gate.check("erin")).toEqual({ status: "taken", source: "database" });
  });

  it("of renamed accounts can be taken, and the new name can't", async () => {
    await gate.signUp(newPerson("oldname"));
    await gate.database.pool.query(
      `UPDATE users SET username = 'newname', username_key = 'newname', username_skeleton = 'newnarne'
       WHERE username_key = 'oldname'`,
    );
    await gate.delivered();
    expect(await gate.check("oldname")).toEqual({ status: "available", source: "database" });
    expect(await gate.check("newname")).toEqual({ status: "taken", source: "database" });
    expect(await gate.signUp(newPerson("oldname"))).toMatchObject({ username: "oldname" });
    expect(await failureOf(gate.signUp(newPerson("newname")))).toMatchObject({
      code: "CONFLICT",
      details: { field: "username" },
    });
  });
});
