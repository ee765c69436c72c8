import { afterAll, beforeAll, expect, it } from "vitest";
import type { GateHealth } from "../api/context";
import { freePort } from "../runtime/ports";
import { failureOf, LONG_DEADLINES, newPerson, nextAddress, type TestServer } from "../testing/server-gate";
import { rawRequest } from "../testing/server-raw-http";
import { TcpProxy } from "../testing/server-tcp-proxy";
import { createTestDatabase, type TestDatabase } from "../testing/test-database";
import { apiClient, startTestServer, startTestWorkers } from "../testing/test-gate";
import { TestRedis } from "../testing/test-redis";
import { waitFor } from "../testing/wait-for";

/** The tests run in order: each continues from the state of the previous one. */
let database: TestDatabase;
let redis: TestRedis;
let server: TestServer;
let relay: { stop(): Promise<void> } | undefined;
let postgresPort: number;
let postgres: TcpProxy | undefined;
const unhandled: unknown[] = [];
const remember = (error: unknown) => void unhandled.push(error);

beforeAll(async () => {
  process.on("unhandledRejection", remember).on("uncaughtExceptionMonitor", remember);
  [database, redis] = await Promise.all([createTestDatabase(), TestRedis.start()]);
  // The port is known now, and no server listens on it.
  await redis.kill();
  postgresPort = await freePort();
  server = await startTestServer(urls(), LONG_DEADLINES);
});

afterAll(async () => {
  await relay?.stop();
  await server.stop();
  await postgres?.stop();
  await database.drop();
  await redis.remove();
  process.off("unhandledRejection", remember).off("uncaughtExceptionMonitor", remember);
  expect(unhandled).toEqual([]);
});

function urls() {
  const databaseUrl = new URL(database.url);
  databaseUrl.hostname = "127.0.0.1";
  databaseUrl.port = String(postgresPort);
  return { databaseUrl: databaseUrl.href, redisUrl: redis.url };
}

const client = () => apiClient(server.url, { address: nextAddress() });
const check = (username: string) => client().username.check.query({ username });
const health = async (path = "/healthz") => {
  const { status, json } = await rawRequest(`${server.url}${path}`);
  return { status, health: json as GateHealth };
};

it("starts with both ports closed, reports the problems, and is not ready", async () => {
  const alive = await health();
  expect(alive.status).toBe(200);
  expect(alive.health.status).toBe("down");
  expect(alive.health.problems.join(" ")).toMatch(/database does not answer/);
  expect(alive.health.problems.join(" ")).toMatch(/No filter version is known/);
  expect(alive.health.filter).toMatchObject({ version: null, engine: null, pointerAgeMs: null });
  expect((await health("/readyz")).status).toBe(503);
});

it("shows no addresses or credentials in its health", async () => {
  const { text } = await rawRequest(`${server.url}/healthz`);
  expect(text).not.toContain(String(postgresPort));
  expect(text).not.toContain(String(redis.port));
  expect(text).not.toMatch(/postgres(ql)?:|redis:|ECONNREFUSED|127\.0\.0\.1/);
});

it("answers a check with busy, and with invalid or reserved where the policy decides", async () => {
  expect(await check("free-name")).toEqual({ status: "busy", retryAfterMs: 2_000 });
  expect(await check("a")).toMatchObject({ status: "invalid" });
  expect(await check("admin")).toMatchObject({ status: "reserved" });
});

it("refuses a signup as unavailable, not as an internal error", async () => {
  const failure = await failureOf(client().account.signUp.mutate(newPerson("early")));
  expect(failure.message).not.toMatch(/ECONNREFUSED|prisma|127\.0\.0\.1/i);
  expect(failure).toMatchObject({ code: "SERVICE_UNAVAILABLE", httpStatus: 503 });
});

it("serves from the database alone when Postgres starts", async () => {
  postgres = await TcpProxy.start(database.url, { port: postgresPort });
  await waitFor("a check from the database", async () => (await check("free-name")).status === "available");
  expect(await check("free-name")).toEqual({ status: "available", source: "database" });
  expect(await client().account.signUp.mutate(newPerson("early"))).toMatchObject({ signedIn: true });
  expect(await check("early")).toEqual({ status: "taken", source: "database" });
  const { status, health: state } = await health("/readyz");
  expect([status, state.status]).toEqual([200, "degraded"]);
});

it("a relay that started before Redis delivers when Redis starts, and checks use the filter", async () => {
  relay = startTestWorkers({ databaseUrl: database.url, redisUrl: redis.url });
  await redis.run();
  await waitFor("a check from the filter", async () => {
    const answer = await check("free-name");
    return answer.status === "available" && answer.source === "filter";
  });
  await waitFor("the outbox to be drained", async () => {
    const { rows } = await database.pool.query("SELECT 1 FROM outbox WHERE processed_at IS NULL");
    return rows.length === 0;
  });
  expect(await check("early")).toEqual({ status: "taken", source: "database" });
  await waitFor("health to be ok", async () => (await health()).health.status === "ok");
  expect((await health()).health.problems).toEqual([]);
});
