import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nextAddress, type TestServer } from "../testing/server-gate";
import { postJson, rawRequest } from "../testing/server-raw-http";
import { insertToken, StaffFixture } from "../testing/staff";
import { startTestServer } from "../testing/test-gate";

let fixture: StaffFixture;
let admin: Record<string, string>;

beforeAll(async () => {
  fixture = await StaffFixture.start();
  const secret = await insertToken(fixture.database.prisma, { name: "everything", role: "admin" });
  admin = { authorization: `Bearer ${secret}` };
});
afterAll(() => fixture.stop());

/** The status line of a request whose first line no client library would send. */
function statusOf(line: string): Promise<number> {
  const { hostname, port } = new URL(fixture.server.url);
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${line} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`),
    );
    socket.on("data", chunk => {
      text += String(chunk);
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])));
  });
}

describe("a target or method that no route understands", () => {
  it.each([
    ["GET *", 404],
    ["GET /%", 404],
    ["GET /%E0%A4%A", 404],
    ["GET /_next/static/%", 404],
    ["GET /api/auth/%", 404],
    ["GET http://evil.example/healthz", 404],
    ["OPTIONS *", 405],
    ["TRACE /", 405],
    ["PUT /console", 405],
    ["DELETE /api/auth/sign-out", 404],
    ["PATCH /healthz", 405],
    ["PROPFIND /", 405],
  ])("%s: %i", async (line, status) => {
    expect(await statusOf(line)).toBe(status);
  });
});

describe("numbers that no column holds", () => {
  const reason = "a test";
  const id = "00000000-0000-4000-8000-000000000000";
  const calls: [path: string, field: string, input: object][] = [
    ["user.setRole", "version", { id, role: "viewer", reason }],
    ["user.setDisabled", "version", { id, disabled: true, reason }],
    ["symbol.halt", "expectedVersion", { symbol: "ACME", reason }],
    ["symbol.delist", "expectedVersion", { symbol: "ACME", reason }],
    ["symbol.split", "expectedEpoch", { symbol: "ACME", factor: 4, expiresAt: null, reason }],
    [
      "symbol.setAutomatic",
      "expectedVersion",
      { symbol: "ACME", on: true, reason, maxFactor: 2, minHotSeconds: 10, maxChangesPerHour: 4 },
    ],
    ["shards.split", "expectedVersion", { shardId: "0", reason }],
    ["filter.promote", "version", { revision: 0, reason }],
    ["filter.promote", "revision", { version: 1, reason }],
    ["filter.rollback", "revision", { reason }],
    ["filter.retire", "version", { revision: 0, reason }],
    ["engine.continue", "expectedPosition", { symbol: "ACME", reason }],
  ];
  const values = [-1, 1.5, 2 ** 31 - 2, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53 - 1, 2 ** 53, 2 ** 63, 1e308];

  it.each(calls)("%s, %s: refused or not found, never a failure", async (path, field, input) => {
    for (const value of values) {
      const { status, text } = await fixture.call(path, Object.assign({ [field]: value }, input), admin);
      // 503: there is no order log here.
      expect([400, 403, 404, 409, 503], `${value}: ${text}`).toContain(status);
    }
  });
});

describe("a change that asks for a streamed answer", () => {
  it.each(["trpc-accept", "accept"])("by %s is refused before anything is done", async header => {
    const person = {
      username: "streamed",
      email: "streamed@example.com",
      password: "seven rivers run home",
    };
    const url = `${fixture.server.url}/api/trpc/account.signUp?batch=1`;
    const all = { "x-forwarded-for": nextAddress(), [header]: "application/jsonl" };
    const answer = await postJson(url, { 0: person }, all);
    expect([answer.status, answer.json.error.data.code]).toEqual([406, "NOT_ACCEPTABLE"]);
    const { rows } = await fixture.database.pool.query("SELECT 1 FROM users WHERE username_key = 'streamed'");
    expect(rows).toEqual([]);
  });

  it("is no matter for queries", async () => {
    const url = `${fixture.server.url}/api/trpc/account.me?batch=1&input=%7B%7D`;
    const headers = { "trpc-accept": "application/jsonl", "x-forwarded-for": nextAddress() };
    expect((await rawRequest(url, { headers })).text).toContain("[2,0,[[null]]]");
  });
});

describe("a site on https", () => {
  let site: TestServer;
  beforeAll(async () => {
    const urls = { databaseUrl: fixture.database.url, redisUrl: fixture.redis.url };
    site = await startTestServer(urls, { PUBLIC_URL: "https://names.example" });
  });
  afterAll(() => site.stop());

  it("tells browsers to stay on https, with every answer; a site on http does not", async () => {
    for (const path of ["/", "/healthz", "/api/trpc/account.me", "/api/auth/nothing", "/%"])
      expect((await rawRequest(site.url + path)).headers["strict-transport-security"]).toMatch(
        /^max-age=\d{8}$/,
      );
    expect(
      (await rawRequest(`${fixture.server.url}/healthz`)).headers["strict-transport-security"],
    ).toBeUndefined();
  });

  it.each([
    ["https://names.example", 200],
    ["http://names.example", 403],
    ["https://names.example:8443", 403],
    ["https://www.names.example", 403],
    ["https://names.example.evil.example", 403],
    ["null", 403],
  ])("takes calls of its exact origin only: %s is %i", async (origin, status) => {
    const host = origin.replace(/^https?:\/\//, "");
    const headers = { origin, host, "x-forwarded-for": nextAddress() };
    expect((await postJson(`${site.url}/api/trpc/account.signOut`, {}, headers)).status).toBe(status);
  });
});

describe("made-up tokens", () => {
  const madeUp = (n: number) => ({ authorization: `Bearer fg_${String(n).padStart(43, "x")}` });

  it("are charged to their address before the database is asked; valid ones and other addresses are not", async () => {
    const address = nextAddress();
    const ask = (headers: Record<string, string>, from = address) =>
      rawRequest(`${fixture.server.url}/api/trpc/gate.health`, {
        headers: Object.assign({ "x-forwarded-for": from }, headers),
      });
    expect((await ask(admin)).status).toBe(200);
    const statuses: number[] = [];
    for (let n = 0; n < 320; n += 1) statuses.push((await ask(madeUp(n))).status);
    expect(statuses.slice(0, 290).every(status => status === 401)).toBe(true);
    expect(statuses.slice(-10).every(status => status === 429)).toBe(true);
    expect((await ask(admin)).status).toBe(200);
    expect((await ask(madeUp(1), nextAddress())).status).toBe(401);
    const { rows } = await fixture.database.pool.query(
      "UPDATE service_tokens SET revoked_at = now() WHERE name = 'everything' RETURNING id",
    );
    expect(rows).toHaveLength(1);
    // It was valid: the database is asked once more.
    expect((await ask(admin)).status).toBe(401);
    expect((await ask(admin)).status).toBe(429);
  });
});
