import { afterAll, beforeAll, expect, it } from "vitest";
import { aggregatorEnv, engineEnv } from "../process/order-env";
import { freePort } from "../runtime/ports";
import { UNGUARDED } from "../store/owner-guard";
import { PartitionLeases } from "../store/partition-leases";
import { createRedis, type RedisClient, redisIsReady } from "../store/redis";
import { quietLog } from "../testing/quiet-log";
import type { TestServer } from "../testing/server-gate";
import { rawRequest } from "../testing/server-raw-http";
import { createTestDatabase, type TestDatabase } from "../testing/test-database";
import { startTestServer } from "../testing/test-gate";
import { TestRedis } from "../testing/test-redis";
import { waitFor } from "../testing/wait-for";
import { runAggregator } from "../workers/run-aggregator";
import { runEngine } from "../workers/run-engine";
import type { ServerHealth } from "./health";

/** The tests run in order: each continues from the state of the previous one. */
const LOG = "orders";
let database: TestDatabase;
let server: TestRedis;
let redis: RedisClient;
let web: TestServer;
const stops: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  [database, server] = await Promise.all([createTestDatabase(), TestRedis.start()]);
  redis = createRedis(
    { url: server.url, connectionName: "test", commandTimeoutMs: 5_000, guard: UNGUARDED },
    () => {},
  );
  await redisIsReady(redis, 5_000);
  web = await startTestServer({ databaseUrl: database.url, redisUrl: server.url });
});

afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
  await web.stop();
  redis.disconnect();
  await database.drop();
  await server.remove();
});

const settings = () => ({ DATABASE_URL: database.url, REDIS_URL: server.url, ORDER_LEASE_MS: "500" });
const read = async () => (await rawRequest(`${web.url}/healthz`)).json as ServerHealth;
const codes = async () =>
  (await read()).alerts.map(({ code }) => code).filter(code => code.startsWith("orders"));
const untilOrders = (status: string) =>
  waitFor(`the order side to be ${status}`, async () => (await read()).orders.status === status, 20_000);
const healthOn = async (port: number) =>
  (await rawRequest(`http://127.0.0.1:${port}/healthz`)).json as { status: string; partitions: number[] };

function leasesOf(kind: "aggregator" | "engine", owner: string, ttlMs: number) {
  return new PartitionLeases(redis, { log: LOG, kind, owner, ttlMs });
}

it("is unknown, without an alarm, where no aggregator has ever run", async () => {
  await waitFor("the records to be counted", async () => (await read()).orders.records === 0);
  expect((await read()).orders).toMatchObject({
    status: "unknown",
    aggregators: "unknown",
    lagMs: "unknown",
  });
  expect(await codes()).toEqual([]);
});

it("is ok with an aggregator and an engine, and each of them says so of itself", async () => {
  const ports = [await freePort(), await freePort()] as const;
  const aggregator = aggregatorEnv.parse({ ...settings(), METRICS_PORT: ports[0] });
  const engine = engineEnv.parse({ ...settings(), METRICS_PORT: ports[1] });
  const running = [runAggregator(aggregator, quietLog("aggregator")), runEngine(engine, quietLog("engine"))];
  stops.push(...running.map(one => () => one.stop()));
  await untilOrders("ok");
  expect((await read()).orders).toMatchObject({ aggregators: 1, engines: 1, buffered: 0 });
  for (const port of ports)
    await waitFor("the process to be ok", async () => (await healthOn(port)).status === "ok", 20_000);
});

it("is degraded when partitions have no owner, with what that means", async () => {
  for (const stop of stops.splice(0)) await stop();
  await untilOrders("degraded");
  expect(await codes()).toEqual(["orders_without_aggregator", "orders_without_engine"]);
  expect((await read()).orders).toMatchObject({ aggregators: 0, engines: 0, lagMs: "unknown" });
});

it("a spare engine is ok while others have all partitions", async () => {
  // Eight others with one partition each.
  for (let n = 0; n < 8; n += 1) await leasesOf("engine", `other-${n}`, 60_000).renew();
  for (let n = 0; n < 8; n += 1) await leasesOf("engine", `other-${n}`, 60_000).renew();
  const port = await freePort();
  const spare = runEngine(engineEnv.parse({ ...settings(), METRICS_PORT: port }), quietLog("engine"));
  stops.push(() => spare.stop());
  await waitFor("the spare to be ok", async () => (await healthOn(port)).status === "ok", 20_000);
});

it("leases that end far ahead hold an engine up for the time of one lease only", async () => {
  const port = await freePort();
  const key = `orders:{${LOG}}:leases:engine`;
  for (const stop of stops.splice(0)) await stop();
  await redis.del(key);
  for (let p = 0; p < 8; p += 1)
    await redis.hset(key, `p:${p}`, `1 ${String((Date.now() + 3_600_000) * 1_000)} gone`);
  const engine = runEngine(engineEnv.parse({ ...settings(), METRICS_PORT: port }), quietLog("engine"));
  stops.push(() => engine.stop());
  await waitFor(
    "the engine to have all partitions",
    async () => {
      const { status, partitions } = await healthOn(port);
      return status === "ok" && partitions.length === 8;
    },
    20_000,
  );
});
