import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serverEnv } from "../process/server-env";
import { readEnv } from "../runtime/read-env";
import { postJson, rawRequest } from "../testing/server-raw-http";
import { auditRows, StaffFixture } from "../testing/staff";
import { OIDC_CLIENT, TestOidcProvider } from "../testing/test-oidc-provider";
import { waitFor } from "../testing/wait-for";

let provider: TestOidcProvider;
let fixture: StaffFixture;

const settings = () => ({
  OIDC_DISCOVERY_URL: `${provider.url}/.well-known/openid-configuration`,
  OIDC_CLIENT_ID: OIDC_CLIENT.id,
  OIDC_CLIENT_SECRET: OIDC_CLIENT.secret,
  OIDC_NAME: "Acme",
});

beforeAll(async () => {
  provider = await new TestOidcProvider().start();
  fixture = await StaffFixture.start(settings());
});
afterAll(async () => {
  await fixture.stop();
  provider.stop();
});

const begin = (body: object = {}) =>
  postJson(`${fixture.server.url}/api/auth/sign-in/social`, {
    provider: "oidc",
    callbackURL: "/console",
    errorCallbackURL: "/console/sign-in",
    ...body,
  });

/** Follows the redirects as a browser does: to the provider and back. */
async function signIn() {
  const start = await begin();
  expect(start.status).toBe(200);
  const url = new URL(start.json.url);
  provider.nonce = url.searchParams.get("nonce") ?? undefined;
  const cookie = [start.headers["set-cookie"] ?? []]
    .flat()
    .map(one => one.split(";", 1)[0])
    .join("; ");
  const query = `code=c&state=${url.searchParams.get("state")}`;
  const back = await rawRequest(`${fixture.server.url}/api/auth/callback/oidc?${query}`, {
    headers: { cookie },
  });
  const cookies = [back.headers["set-cookie"] ?? []].flat();
  const session = cookies.find(one => one.startsWith("floodgate.session_token="))?.split(";", 1)[0];
  return { location: String(back.headers.location), session };
}

describe("OpenID Connect", () => {
  it("signs in only a user with that verified e-mail address", async () => {
    await waitFor("the provider to be in use", async () => (await begin()).status === 200);
    expect((await fixture.ask("session.signInMethods", undefined)).json.result.data).toEqual({
      singleSignOn: "Acme",
    });

    expect(await signIn()).toEqual({
      location: expect.stringMatching(/\/console\/sign-in\?error=signup_disabled/),
      session: undefined,
    });

    const boss = await fixture.insert("operator", "boss");
    const { prisma, pool } = fixture.database;
    await prisma.user.update({ where: { id: boss.id }, data: { email: "boss@example.com" } });
    // Sign-up does not verify the address.
    expect((await signIn()).location).toContain("error=account_not_linked");

    await prisma.user.update({ where: { id: boss.id }, data: { emailVerified: true } });
    const { location, session } = await signIn();
    expect(location).toMatch(/\/console$/);
    const me = await fixture.ask("session.me", undefined, { cookie: session! });
    expect(me.json.result.data.user).toMatchObject({ username: "boss", role: "operator" });
    expect((await auditRows(pool, "action = 'session.signIn'"))[0]).toMatchObject({
      actor_name: "boss",
      outcome: "ok",
    });

    await prisma.user.update({ where: { id: boss.id }, data: { disabledAt: new Date() } });
    expect((await signIn()).session).toBeUndefined();
  });

  it("does not redirect to another site after the sign-in", async () => {
    const answer = await begin({ callbackURL: "https://evil.example/" });
    expect(answer.status).toBe(403);
  });
});

describe("a provider that never answers", () => {
  it("does not affect sign-in with a password", async () => {
    const silent = await new TestOidcProvider().start();
    silent.hangs = true;
    const other = await StaffFixture.start({ ...settings(), OIDC_DISCOVERY_URL: `${silent.url}/discovery` });
    try {
      await other.insert("viewer", "vera");
      const start = performance.now();
      await other.cookieOf("vera");
      expect(performance.now() - start).toBeLessThan(3_000);
      const social = await postJson(`${other.server.url}/api/auth/sign-in/social`, { provider: "oidc" });
      expect(social.status).toBe(404);
      expect((await other.ask("session.signInMethods", undefined)).json.result.data).toEqual({
        singleSignOn: null,
      });
    } finally {
      silent.stop();
      await other.stop();
    }
  });
});

it("needs all its variables or none", () => {
  const base = { DATABASE_URL: "postgresql://x", REDIS_URL: "redis://x", AUTH_SECRET: "x".repeat(32) };
  expect(() => readEnv(serverEnv, { ...base, OIDC_CLIENT_ID: "id" })).toThrow(
    /OIDC_DISCOVERY_URL.*\n.*OIDC_CLIENT_SECRET/,
  );
  expect(readEnv(serverEnv, base).OIDC_CLIENT_ID).toBeUndefined();
});
