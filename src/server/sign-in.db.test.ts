import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { percentile } from "../domain/percentile";
import { nextAddress } from "../testing/server-gate";
import { postJson, rawRequest } from "../testing/server-raw-http";
import { auditRows, cookieFrom, PASSWORD, StaffFixture, type TestUser } from "../testing/staff";

let fixture: StaffFixture;
let alice: TestUser;

beforeAll(async () => {
  fixture = await StaffFixture.start({ SIGNINS_PER_TEN_MINUTES: 8, SIGNINS_PER_ACCOUNT: 40 });
  alice = await fixture.insert("operator", "Alice");
});
afterAll(() => fixture.stop());

const me = async (cookie: string) =>
  (await fixture.ask("session.me", undefined, { cookie })).json.result.data;
const newest = async (action: string) =>
  (await auditRows(fixture.database.pool, `action = '${action}'`, 1))[0];

describe("signing in", () => {
  it("works by username in any case, and by e-mail", async () => {
    for (const username of ["Alice", "ALICE", " alice "]) {
      const cookie = await fixture.cookieOf(username);
      expect((await me(cookie)).user).toEqual({ ...alice, role: "operator" });
    }
    const byEmail = await fixture.signIn({ email: alice.email, password: PASSWORD }, { by: "email" });
    expect((await me(cookieFrom(byEmail))).user.id).toBe(alice.id);
  });

  it("is audited, and so is the sign-out, which ends the session", async () => {
    const address = nextAddress();
    const cookie = cookieFrom(await fixture.signIn({ username: "alice", password: PASSWORD }, { address }));
    expect(await newest("session.signIn")).toMatchObject({
      actor_kind: "user",
      actor_name: "Alice",
      role: "operator",
      target: "user:Alice",
      outcome: "ok",
      address,
    });
    const { origin } = new URL(fixture.server.url);
    const url = `${fixture.server.url}/api/auth/sign-out`;
    expect((await postJson(url, {}, { cookie, origin })).status).toBe(200);
    expect(await newest("session.signOut")).toMatchObject({ actor_name: "Alice", outcome: "ok" });
    expect((await me(cookie)).user).toBeNull();
  });

  it("works for members, who have no permission in the console", async () => {
    await fixture.insert("member", "memberly");
    const { user, can } = await me(await fixture.cookieOf("memberly"));
    expect(user.role).toBe("member");
    expect(Object.values(can).some(one => (one as { allowed: boolean }).allowed)).toBe(false);
  });

  it.each([
    ["a wrong password", { username: "alice", password: "wrong horse battery staple" }],
    ["an unknown user", { username: "no-such-user", password: PASSWORD }],
    ["what can't be a username", { username: "\u0000 <script>", password: PASSWORD }],
    ["an empty name", { username: "  ", password: PASSWORD }],
  ])("gives the same answer for %s, and audits the attempt", async (_, body) => {
    const answer = await fixture.signIn(body);
    expect(answer.status).toBe(401);
    expect(answer.json).toEqual({
      code: "INVALID_USERNAME_OR_PASSWORD",
      message: "Invalid username or password",
    });
    expect(answer.headers["set-cookie"]).toBeUndefined();
    expect(await newest("session.signIn")).toMatchObject({ actor_kind: "anonymous", outcome: "refused" });
  });

  it("takes as long for an unknown user as for a wrong password", async () => {
    const time = async (username: string) => {
      const times: number[] = [];
      for (let i = 0; i < 5; i += 1) {
        const start = performance.now();
        await fixture.signIn({ username: `${username}${i}`, password: "wrong horse battery" });
        times.push(performance.now() - start);
      }
      return percentile(times, 0.5);
    };
    await Promise.all([0, 1, 2, 3, 4].map(i => fixture.insert("member", `known${i}`)));
    expect(await time("unheard")).toBeGreaterThan((await time("known")) * 0.5);
  });

  it.each([
    ["no body", ""],
    ["no JSON", "{"],
    ["a number for a name", JSON.stringify({ username: 7, password: PASSWORD })],
    ["an array", "[]"],
    ["null", "null"],
    ["an object for a name", JSON.stringify({ username: { contains: "a" }, password: PASSWORD })],
    ["a list of passwords", JSON.stringify({ username: "alice", password: [PASSWORD] })],
    [
      "a field of another route",
      JSON.stringify({ username: "alice", email: "a@b.example", password: PASSWORD }),
    ],
    ["an unknown field", JSON.stringify({ username: "alice", password: PASSWORD, role: "admin" })],
    ["no password", JSON.stringify({ username: "alice" })],
    ["a huge password", JSON.stringify({ username: "alice", password: "x".repeat(5_000) })],
    ["a huge name", JSON.stringify({ username: "x".repeat(5_000), password: PASSWORD })],
  ])("refuses %s", async (_, body) => {
    const headers = { "content-type": "application/json", "x-forwarded-for": nextAddress() };
    const answer = await rawRequest(`${fixture.server.url}/api/auth/sign-in/username`, {
      method: "POST",
      headers,
      body,
    });
    expect(answer.status).toBe(400);
    expect(answer.text).not.toMatch(/stack|node_modules|SELECT/);
  });
});

describe("a sign-in by address", () => {
  it.each([
    ["username", { username: "alice" }],
    ["an ill-typed username", { username: { name: "alice" } }],
    ["rememberMe", { rememberMe: true }],
  ])("refuses an added %s, which would hide whose account is tried", async (_, added) => {
    const body = Object.assign({ email: alice.email, password: PASSWORD }, added);
    const answer = await fixture.signIn(body, { by: "email" });
    expect([answer.status, answer.json.code]).toEqual([400, "BAD_REQUEST"]);
    expect(answer.headers["set-cookie"]).toBeUndefined();
  });

  it("is charged to the account of the address", async () => {
    const target = await fixture.insert("viewer", "by-address");
    const guess = { email: target.email, password: "wrong horse battery" };
    for (let i = 0; i < 40; i += 1) expect((await fixture.signIn(guess, { by: "email" })).status).toBe(401);
    expect((await fixture.signIn(guess, { by: "email" })).status).toBe(429);
  });

  it.each(["username", "email"])("by %s keeps the session out of the answer's body", async by => {
    const answer = await fixture.signIn(
      by === "email" ? { email: alice.email, password: PASSWORD } : { username: "alice", password: PASSWORD },
      { by },
    );
    const token = /session_token=([^.;]+)/.exec(String(answer.headers["set-cookie"]))?.[1];
    expect(answer.status).toBe(200);
    expect(answer.json.user).toBeDefined();
    expect(token).toMatch(/.{20,}/);
    expect(answer.text).not.toContain(decodeURIComponent(token!));
  });
});

describe("a disabled user", () => {
  it("can't sign in, and their old session is not accepted", async () => {
    const bob = await fixture.insert("admin", "bobby");
    const cookie = await fixture.cookieOf("bobby");
    await fixture.database.pool.query("UPDATE users SET disabled_at = now() WHERE id = $1", [bob.id]);
    expect((await me(cookie)).user).toBeNull();
    expect((await fixture.ask("user.list", {}, { cookie })).status).toBe(401);
    const again = await fixture.signIn({ username: "bobby", password: PASSWORD });
    expect([again.status, again.json.code]).toEqual([403, "ACCOUNT_DISABLED"]);
    expect((await fixture.signIn({ username: "bobby", password: "wrong horse battery" })).status).toBe(401);
  });
});

describe("a session", () => {
  it("ends when its row is deleted or has expired", async () => {
    const [first, second] = [await fixture.cookieOf("alice"), await fixture.cookieOf("alice")];
    await fixture.database.pool.query("UPDATE sessions SET expires_at = now() - interval '1 second'");
    expect((await fixture.ask("user.list", {}, { cookie: first })).status).toBe(401);
    await fixture.database.pool.query("DELETE FROM sessions");
    expect((await fixture.ask("user.list", {}, { cookie: second })).status).toBe(401);
  });

  it("is not accepted from a forged cookie", async () => {
    const cookie = "floodgate.session_token=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.bbbbbbbb";
    expect((await fixture.ask("user.list", {}, { cookie })).status).toBe(401);
  });
});

describe("requests of other sites", () => {
  it.each([
    ["another origin", { origin: "https://evil.example" }],
    ["an opaque origin", { origin: "null" }],
    ["a look-alike", { origin: "http://localhost.evil.example" }],
    ["a cross-site fetch without origin", { "sec-fetch-site": "cross-site" }],
  ])("are refused: %s", async (_, headers) => {
    expect((await fixture.signIn({ username: "alice", password: PASSWORD }, { headers })).status).toBe(403);
    const byEmail = { email: alice.email, password: PASSWORD };
    expect((await fixture.signIn(byEmail, { by: "email", headers })).status).toBe(403);
    const cookie = await fixture.cookieOf("alice");
    const out = await postJson(`${fixture.server.url}/api/auth/sign-out`, {}, { cookie, ...headers });
    expect(out.status).toBe(403);
    expect((await me(cookie)).user).not.toBeNull();
  });

  it("are refused when a cookie comes without any origin", async () => {
    const cookie = await fixture.cookieOf("alice");
    expect((await postJson(`${fixture.server.url}/api/auth/sign-out`, {}, { cookie })).status).toBe(403);
  });
});

describe("quotas", () => {
  it("hold for an address, over all usernames", async () => {
    const address = nextAddress();
    const statuses: number[] = [];
    for (let i = 0; i < 10; i += 1) {
      const body = { username: `guess${i}`, password: "wrong horse battery" };
      statuses.push((await fixture.signIn(body, { address })).status);
    }
    expect(statuses).toEqual([...Array(8).fill(401), 429, 429]);
  });

  it("hold for an account, over all addresses, also with the right password", async () => {
    await fixture.insert("viewer", "victim");
    for (let i = 0; i < 40; i += 1) {
      expect((await fixture.signIn({ username: "Victim", password: "wrong horse battery" })).status).toBe(
        401,
      );
    }
    const refused = await fixture.signIn({ username: "victim", password: PASSWORD });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect(await newest("session.signIn")).toMatchObject({ outcome: "refused", reason: "Too many tries." });
  });
});

describe("the routes of better-auth", () => {
  it.each([
    ["GET", "/get-session"],
    ["POST", "/sign-up/email"],
    ["POST", "/update-user"],
    ["POST", "/open-session"],
    ["POST", "/change-email"],
    ["POST", "/is-username-available"],
    ["GET", "/callback/oidc"],
    ["POST", "/sign-in/social"],
    ["POST", "/sign-in/username/"],
    ["POST", "//sign-in/username"],
    ["GET", "/sign-in/username"],
    ["GET", "/ok"],
    ["GET", "/"],
  ])("do not include %s %s", async (method, path) => {
    const answer = await rawRequest(`${fixture.server.url}/api/auth${path}`, { method, headers: {} });
    expect(answer.status).toBe(404);
  });

  it.each([
    [{ "x-forwarded-proto": "a b" }],
    [{ "x-forwarded-proto": "https,http" }],
    [{ host: "a b" }],
    [{ "x-forwarded-host": "evil.example" }],
  ])("still answer after %j", async headers => {
    const body = { username: "alice", password: "wrong horse battery" };
    expect((await fixture.signIn(body, { headers })).status).toBe(401);
    expect((await rawRequest(`${fixture.server.url}/healthz`)).status).toBe(200);
  });

  it("count a body as it comes in, with a length or in chunks", async () => {
    const url = `${fixture.server.url}/api/auth/sign-in/username`;
    const chunked = { "content-type": "application/json", "transfer-encoding": "chunked" };
    const body = (username: string) => JSON.stringify({ username, password: "wrong horse battery" });
    const statusOf = async (text: string) =>
      (await rawRequest(url, { method: "POST", headers: chunked, body: text })).status;
    expect(await statusOf(body("alice"))).toBe(401);
    expect(await statusOf(body("x".repeat(20_000)))).toBe(413);
    expect(await statusOf(body("x".repeat(2_000_000)))).toBe(413);
    expect((await postJson(url, JSON.parse(body("x".repeat(20_000))))).status).toBe(413);
  });
});
