import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import type { Services } from "../api/context";
import { AppError as SharedAppError } from "../domain/app-error";
import { ConcurrencyLimiter } from "../runtime/concurrency-limiter";
import { postJson, type RawAnswer, rawRequest } from "../testing/server-raw-http";

const PERSON = { username: "alice", email: "alice@example.com", password: "correct horse battery staple" };
const SECRETS = 'SELECT "users_email_unique" FROM users at db-7.internal:5432 in /srv/floodgate/secret.ts';

/** Values that a broken service may throw; clients must not see any part of them. */
const THROWN: [string, () => unknown][] = [
  ["an error with SQL, host and path", () => new Error(SECRETS)],
  ["a string", () => SECRETS],
  ["an object", () => ({ message: SECRETS, stack: SECRETS })],
  ["nothing", () => undefined],
  ["null", () => null],
  ["an error with a cause", () => new Error(SECRETS, { cause: new Error(SECRETS) })],
  ["several errors at once", () => new AggregateError([new Error(SECRETS)], SECRETS)],
  [
    "an error that names a status",
    () => Object.assign(new Error(SECRETS), { code: "P2002", statusCode: 200 }),
  ],
  [
    "an AppError INTERNAL's cause",
    () => new SharedAppError("INTERNAL", "Internal error", { cause: new Error(SECRETS) }),
  ],
  [
    "an error whose message throws",
    () => Object.defineProperty(new Error(), "message", { get: () => SECRETS }),
  ],
];

const LEAKS = /SELECT|users_|prisma|db-7|5432|\/srv|secret\.ts|node_modules|stack|\bat .*\.[jt]s/i;
const NODE_ENVS = ["production", undefined, "development", "test"];

const servers: Server[] = [];
let logged: string[] = [];

/** A server whose services all throw the same value, built under the current NODE_ENV. */
async function serve(thrown: () => unknown): Promise<string> {
  const { createHttpServer } = await import("./http-server");
  const fail = () => Promise.reject(thrown());
  const services: Services = {
    checkUsername: fail,
    signUp: fail,
    openSession: fail,
    readSession: fail,
    closeSession: fail,
    readToken: fail,
    prisma: {} as Services["prisma"],
    refusals: {} as Services["refusals"],
    gate: {} as Services["gate"],
    filter: {} as Services["filter"],
    orders: {} as Services["orders"],
    shards: {} as Services["shards"],
    lab: {} as Services["lab"],
    health: () => Promise.reject(new Error("not asked")),
    noteDatabaseTrouble: () => {},
    liveStreams: new ConcurrencyLimiter(1),
    streamsSignal: new AbortController().signal,
    build: "a-build",
    environment: "test",
    singleSignOn: () => null,
    readSeries: fail,
  };
  const server = createHttpServer({
    services,
    limits: { check: async () => 0, signUp: async () => 0, session: async () => 0 },
    log: pino({ level: "trace" }, { write: line => void logged.push(line) }),
    trustedProxyHops: 0,
    publicUrl: "http://localhost",
    signIn: () => {
      throw thrown();
    },
    readiness: fail,
    drain: { closesConnections: false },
    build: null,
    assets: null,
    pages: fail,
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  servers.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
  logged = [];
});

afterAll(() => {
  for (const server of servers) server.close();
});

function expectNeutral(answer: RawAnswer) {
  expect(answer.status).toBe(500);
  // Without the request id, which is random hex and may hold "5432" by chance; it is checked below.
  expect(answer.text.replaceAll(String(answer.headers["x-request-id"]), "")).not.toMatch(LEAKS);
  const error = (Array.isArray(answer.json) ? answer.json[0] : answer.json).error;
  expect(error.message).toBe("Internal error");
  expect(Object.keys(error).sort()).toEqual(["code", "data", "message"]);
  expect(error.data).toEqual({
    code: "INTERNAL_SERVER_ERROR",
    httpStatus: 500,
    path: expect.stringMatching(/^(username\.check|account\.(signUp|me|signOut))$/),
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    details: {},
  });
  expect(answer.headers["x-request-id"]).toBe(error.data.requestId);
  expect(answer.headers["cache-control"]).toBe("no-store");
}

describe.each(NODE_ENVS)("the answer when a service throws, NODE_ENV=%s", nodeEnv => {
  it.each(THROWN)("%s: a code, a neutral message and a request id", async (_, thrown) => {
    vi.stubEnv("NODE_ENV", nodeEnv);
    vi.resetModules();
    const url = await serve(thrown);
    const input = encodeURIComponent(JSON.stringify({ username: "alice" }));
    const batch = encodeURIComponent(JSON.stringify({ 0: { username: "alice" }, 1: { username: "bob" } }));
    expectNeutral(await rawRequest(`${url}/api/trpc/username.check?input=${input}`));
    expectNeutral(await rawRequest(`${url}/api/trpc/username.check,username.check?batch=1&input=${batch}`));
    expectNeutral(await rawRequest(`${url}/api/trpc/account.me`));
    expectNeutral(await postJson(`${url}/api/trpc/account.signUp`, PERSON));
    expectNeutral(await postJson(`${url}/api/trpc/account.signOut`, undefined));
  });

  it("for pages and health is the text Internal error", async () => {
    vi.stubEnv("NODE_ENV", nodeEnv);
    vi.resetModules();
    const url = await serve(() => new Error(SECRETS));
    for (const path of ["/", "/healthz", "/readyz", "/no/such/page"]) {
      const answer = await rawRequest(url + path);
      expect([answer.status, answer.text]).toEqual([500, "Internal error"]);
    }
  });
});

describe("the log when a service throws", () => {
  it("contains the whole error with the request id of the answer", async () => {
    const url = await serve(() => new Error(SECRETS, { cause: new Error("the root of it") }));
    const answer = await postJson(`${url}/api/trpc/account.signUp`, PERSON);
    const line = logged.find(text => text.includes(answer.json.error.data.requestId));
    expect(line).toContain("users_email_unique");
    expect(line).toContain("the root of it");
    expect(line).toContain("account.signUp");
    expect(logged.join()).not.toContain(PERSON.password);
  });

  it("contains no entries for refusals", async () => {
    const { AppError } = await import("../domain/app-error");
    const url = await serve(
      () => new AppError("CONFLICT", "The username alice is taken.", { field: "username" }),
    );
    const answer = await postJson(`${url}/api/trpc/account.signUp`, PERSON);
    expect(answer.status).toBe(409);
    expect(answer.json.error.message).toBe("The username alice is taken.");
    expect(logged).toEqual([]);
  });
});

describe("error codes of services as HTTP", () => {
  it.each([
    ["BAD_REQUEST", 400, "BAD_REQUEST"],
    ["UNAUTHENTICATED", 401, "UNAUTHORIZED"],
    ["FORBIDDEN", 403, "FORBIDDEN"],
    ["NOT_FOUND", 404, "NOT_FOUND"],
    ["CONFLICT", 409, "CONFLICT"],
    ["RATE_LIMITED", 429, "TOO_MANY_REQUESTS"],
    ["BUSY", 503, "SERVICE_UNAVAILABLE"],
    ["INTERNAL", 500, "INTERNAL_SERVER_ERROR"],
  ] as const)("%s is %i %s, with its message and details", async (code, status, trpcCode) => {
    // The same class as the server's own copy of the module.
    const { AppError: OwnError } = await import("../domain/app-error");
    const url = await serve(() => new OwnError(code, "In words.", { field: "email", retryAfterMs: 7 }));
    const answer = await postJson(`${url}/api/trpc/account.signUp`, PERSON);
    expect(answer.status).toBe(status);
    expect(answer.json.error).toMatchObject({
      message: "In words.",
      data: { code: trpcCode, httpStatus: status, details: { field: "email", retryAfterMs: 7 } },
    });
  });
});
