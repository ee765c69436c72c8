import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { newPerson, nextAddress, TestGate } from "../testing/server-gate";
import { postJson, rawRequest } from "../testing/server-raw-http";
import { startTestServer } from "../testing/test-gate";

let gate: TestGate;
let api: string;

beforeAll(async () => {
  gate = await TestGate.start();
  api = `${gate.server.url}/api/trpc`;
});

afterAll(() => gate.stop());

const json = (value: unknown) => encodeURIComponent(JSON.stringify(value));

describe("requests from other sites", () => {
  const post = (origin?: string, headers: Record<string, string> = {}) =>
    postJson(`${api}/account.signOut`, undefined, { ...(origin ? { origin } : {}), ...headers });

  it.each([
    "https://evil.example",
    "null",
    "http://localhost.evil.example",
    "http://127.0.0.1",
    "file://",
    "garbage",
  ])("a POST with the origin %s is refused", async origin => {
    const answer = await post(origin);
    expect(answer.status).toBe(403);
    expect(answer.json.error.message).toBe("This request comes from another site.");
  });

  it("a POST of the own origin, of the public URL's, or of a program without one is served", async () => {
    const { port } = new URL(gate.server.url);
    expect((await post()).status).toBe(200);
    expect((await post(gate.server.url)).status).toBe(200);
    expect((await post(`http://localhost:${port}`)).status).toBe(200);
    expect((await post("https://shop.example", { host: "shop.example" })).status).toBe(200);
  });

  it("a signup from another site creates no account", async () => {
    const answer = await postJson(`${api}/account.signUp`, newPerson("lured"), {
      origin: "https://evil.example",
    });
    expect(answer.status).toBe(403);
    expect(await gate.count("users", "username_key = 'lured'")).toBe(0);
  });

  it("no answer allows other sites to read it", async () => {
    const headers = { origin: "https://evil.example" };
    const answer = await rawRequest(`${api}/username.check?input=${json({ username: "alice" })}`, {
      headers,
    });
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
  });

  it("with an https address the cookie is Secure", async () => {
    const server = await startTestServer(gate.urls, { PUBLIC_URL: "https://shop.example" });
    try {
      const answer = await postJson(`${server.url}/api/trpc/account.signUp`, newPerson("secure"), {
        origin: "https://shop.example",
        "x-forwarded-for": nextAddress(),
      });
      expect(answer.status).toBe(200);
      for (const cookie of [answer.headers["set-cookie"] ?? []].flat()) expect(cookie).toMatch(/; Secure/i);
      expect(answer.headers["set-cookie"]).toBeDefined();
    } finally {
      await server.stop();
    }
  });
});

describe.each(["production", undefined])("a failing database, NODE_ENV=%s", nodeEnv => {
  const LEAKS = /\bat .*\.[jt]s|prisma|SELECT|INSERT|users|relation|42P01|P2021|node_modules|127\.0\.0\.1/i;

  it("signup, check and session answer with a code, a neutral message and a request id", async () => {
    vi.stubEnv("NODE_ENV", nodeEnv);
    vi.resetModules();
    const { startTestServer: startReloadedServer } = await import("../testing/test-gate");
    const name = nodeEnv ? "cookie-holder-p" : "cookie-holder-u";
    const signedUp = await postJson(`${api}/account.signUp`, newPerson(name), {
      "x-forwarded-for": nextAddress(),
    });
    const cookie = String([signedUp.headers["set-cookie"]].flat()[0]).split(";", 1)[0]!;
    await gate.delivered();
    const server = await startReloadedServer(gate.urls);
    await gate.database.pool.query("ALTER TABLE users RENAME TO people");
    try {
      const headers = { "x-forwarded-for": nextAddress(), cookie };
      const answers = [
        await postJson(`${server.url}/api/trpc/account.signUp`, newPerson("no-table"), headers),
        await rawRequest(`${server.url}/api/trpc/account.me`, { headers }),
      ];
      for (const answer of answers) {
        expect(answer.status).toBe(500);
        expect(answer.text).not.toMatch(LEAKS);
        expect(answer.text).not.toContain(process.cwd());
        expect(answer.json.error).toMatchObject({
          message: "Internal error",
          data: { code: "INTERNAL_SERVER_ERROR", requestId: answer.headers["x-request-id"] },
        });
      }
      const check = await rawRequest(
        `${server.url}/api/trpc/username.check?input=${json({ username: name })}`,
        {
          headers,
        },
      );
      expect([check.status, check.json.result.data.status]).toEqual([200, "busy"]);
    } finally {
      await gate.database.pool.query("ALTER TABLE people RENAME TO users");
      await server.stop();
      vi.unstubAllEnvs();
    }
  });

  it("a Redis that refuses every command: the database answers checks, and signups continue", async () => {
    const name = nodeEnv ? "refused-p" : "refused-u";
    await gate.redis.ask("ACL", "SETUSER", "default", "-bitfield_ro", "-evalsha", "-eval", "-get");
    try {
      const headers = { "x-forwarded-for": nextAddress() };
      const check = await rawRequest(`${api}/username.check?input=${json({ username: name })}`, { headers });
      expect([check.status, check.json.result.data]).toEqual([
        200,
        { status: "available", source: "database" },
      ]);
      const signedUp = await postJson(`${api}/account.signUp`, newPerson(name), headers);
      expect(signedUp.status).toBe(200);
      expect(check.text + signedUp.text).not.toMatch(/NOPERM|redis|bitfield|permission/i);
    } finally {
      await gate.redis.ask("ACL", "SETUSER", "default", "+@all");
    }
  });
});
