import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RATE_LIMIT_PREFIX } from "../store/redis-keys";
import { newPerson, nextAddress, type TestServer } from "../testing/server-gate";
import { postJson, rawRequest } from "../testing/server-raw-http";
import { createTestDatabase, type TestDatabase } from "../testing/test-database";
import { startTestServer } from "../testing/test-gate";
import { TestRedis } from "../testing/test-redis";
import { waitFor } from "../testing/wait-for";

const CHECKS = 10;
const SIGN_UPS = 3;
const QUOTAS = { CHECKS_PER_MINUTE: CHECKS, SIGNUPS_PER_TEN_MINUTES: SIGN_UPS };

let database: TestDatabase;
let redis: TestRedis;
let server: TestServer;

const start = (overrides: Parameters<typeof startTestServer>[1] = {}) =>
  startTestServer({ databaseUrl: database.url, redisUrl: redis.url }, { ...QUOTAS, ...overrides });

beforeAll(async () => {
  [database, redis] = await Promise.all([createTestDatabase(), TestRedis.start()]);
  server = await start();
  await limiterIsShared(server);
});

afterAll(async () => {
  redis.resume();
  await server.stop();
  await database.drop();
  await redis.remove();
});

const CHECK = `/api/trpc/username.check?input=${encodeURIComponent('{"username":"a"}')}`;
const forwarded = (chain: string) => ({ "x-forwarded-for": chain });

const check = async (chain: string, on = server) =>
  (await rawRequest(on.url + CHECK, { headers: forwarded(chain) })).status;

/** A signup with an invalid name: it is charged, and costs no hash. */
const signUp = async (chain: string, on = server) =>
  (await postJson(`${on.url}/api/trpc/account.signUp`, newPerson("a"), forwarded(chain))).status;

async function statuses(count: number, ask: (n: number) => Promise<number>): Promise<Record<number, number>> {
  const counted: Record<number, number> = {};
  for (let n = 0; n < count; n += 1) {
    const status = await ask(n);
    counted[status] = (counted[status] ?? 0) + 1;
  }
  return counted;
}

/** Waits until signups are counted in Redis, not in the process. */
async function limiterIsShared(on: TestServer): Promise<void> {
  await waitFor("the limiter to use Redis", async () => {
    const address = nextAddress();
    await signUp(address, on);
    return (await redis.ask("EXISTS", `${RATE_LIMIT_PREFIX}:signup:${address}`)) === 1;
  });
}

describe("the quota of a call", () => {
  it("belongs to the address that our proxy has written, not to the client's entries before it", async () => {
    const address = nextAddress();
    const counted = await statuses(100, n => check(`1.1.1.${n}, ${address}`));
    expect(counted).toEqual({ 200: CHECKS, 429: 100 - CHECKS });
    expect(await check(`${address}, ${nextAddress()}`)).toBe(200);
  });

  it("is separate for session calls and sign-out", async () => {
    const address = nextAddress();
    const paths = ["account.me", "session.me"];
    const ask = async (path: string) =>
      (await rawRequest(`${server.url}/api/trpc/${path}`, { headers: forwarded(address) })).status;
    const counted = await statuses(620, n => ask(paths[n % 2]!));
    expect(counted).toEqual({ 200: 600, 429: 20 });
    const out = await postJson(`${server.url}/api/trpc/account.signOut`, {}, forwarded(address));
    expect(out.status).toBe(429);
    expect(await check(address)).toBe(200);
  });

  it("does not depend on headers other than X-Forwarded-For", async () => {
    const address = nextAddress();
    const counted = await statuses(CHECKS + 5, async n => {
      const headers = {
        ...forwarded(address),
        "x-real-ip": `2.2.2.${n}`,
        forwarded: `for=2.2.2.${n}`,
        "x-client-ip": `2.2.2.${n}`,
        "cf-connecting-ip": `2.2.2.${n}`,
        "x-floodgate-client": `2.2.2.${n}`,
      };
      return (await rawRequest(server.url + CHECK, { headers })).status;
    });
    expect(counted).toEqual({ 200: CHECKS, 429: 5 });
  });

  it("is one for a whole /64, and another one for the next", async () => {
    const counted = await statuses(100, n => check(`2001:db8:7:1:${n.toString(16)}::${n.toString(16)}`));
    expect(counted).toEqual({ 200: CHECKS, 429: 100 - CHECKS });
    expect(await check("2001:db8:7:2::1")).toBe(200);
  });

  it("is one for all spellings of an IPv4 address, and others for its neighbours", async () => {
    const spellings = [
      "1.2.3.4",
      "::ffff:1.2.3.4",
      "::ffff:102:304",
      "::FFFF:1.2.3.4",
      "0:0:0:0:0:ffff:0102:0304",
    ];
    const counted = await statuses(CHECKS + 10, n => check(spellings[n % spellings.length]!));
    expect(counted).toEqual({ 200: CHECKS, 429: 10 });
    expect(await check("::ffff:1.2.3.5")).toBe(200);
    expect(await check("1.2.3.6")).toBe(200);
  });

  it("belongs to the connection's address when the entry is not an address", async () => {
    const counted = await statuses(CHECKS + 10, n => check(`nonsense-${n}`));
    expect(counted[429]).toBeGreaterThanOrEqual(10);
  });

  it("belongs to the peer without a proxy, also to each IPv4 client of a dual-stack socket", async () => {
    const direct = await start({ TRUSTED_PROXY_HOPS: 0, HOST: "::" });
    try {
      const from = async (localAddress: string, n: number) =>
        (await rawRequest(direct.url + CHECK, { localAddress, headers: forwarded(`3.3.3.${n}`) })).status;
      expect(await statuses(CHECKS + 5, n => from("127.0.0.2", n))).toEqual({ 200: CHECKS, 429: 5 });
      expect(await from("127.0.0.3", 0)).toBe(200);
    } finally {
      await direct.stop();
    }
  });

  it("belongs to the second entry from the right with two trusted hops, also in a shorter chain", async () => {
    const behindTwo = await start({ TRUSTED_PROXY_HOPS: 2 });
    try {
      const address = nextAddress();
      const counted = await statuses(CHECKS + 5, n => check(`9.9.9.${n}, ${address}, 10.9.9.9`, behindTwo));
      expect(counted).toEqual({ 200: CHECKS, 429: 5 });
    } finally {
      await behindTwo.stop();
    }
  });
});

describe("a refusal", () => {
  it("has status 429 and the time to wait, and no details of the limiter", async () => {
    const address = nextAddress();
    await statuses(CHECKS, () => check(address));
    const answer = await rawRequest(server.url + CHECK, { headers: forwarded(address) });
    expect(answer.status).toBe(429);
    expect(answer.json.error.message).toMatch(/^Too many requests\. Please try again in \d+ s\.$/);
    expect(answer.json.error.data.code).toBe("TOO_MANY_REQUESTS");
    const { retryAfterMs } = answer.json.error.data.details;
    expect(retryAfterMs).toBeGreaterThan(0);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
  });

  it("of checks does not refuse signups", async () => {
    const address = nextAddress();
    expect(await statuses(CHECKS + 1, () => check(address))).toEqual({ 200: CHECKS, 429: 1 });
    expect(await statuses(SIGN_UPS + 2, () => signUp(address))).toEqual({ 400: SIGN_UPS, 429: 2 });
  });
});

describe("signups on several instances", () => {
  it("have one quota, also when they are concurrent", async () => {
    const other = await start();
    try {
      await limiterIsShared(other);
      const address = nextAddress();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => signUp(address, n % 2 === 0 ? server : other)),
      );
      expect(answers.filter(status => status === 400)).toHaveLength(SIGN_UPS);
      expect(answers.filter(status => status === 429)).toHaveLength(20 - SIGN_UPS);
    } finally {
      await other.stop();
    }
  });
});

describe("an outage of Redis", () => {
  it.each<[string, () => Promise<void> | void, () => Promise<void> | void]>([
    ["paused", () => redis.pause(), () => redis.resume()],
    ["killed", () => redis.kill(), () => redis.run()],
  ])(
    "%s: each instance limits signups alone, checks work, and afterwards the quota is common again",
    async (_, stop, resume) => {
      await stop();
      const address = nextAddress();
      expect(await statuses(SIGN_UPS + 4, () => signUp(address))).toEqual({ 400: SIGN_UPS, 429: 4 });
      const neighbour = nextAddress();
      expect(await signUp(neighbour)).toBe(400);
      expect(await statuses(CHECKS + 2, () => check(neighbour))).toEqual({ 200: CHECKS, 429: 2 });
      await resume();
      await limiterIsShared(server);
      const late = nextAddress();
      expect(await statuses(SIGN_UPS + 1, () => signUp(late))).toEqual({ 400: SIGN_UPS, 429: 1 });
    },
  );
});
