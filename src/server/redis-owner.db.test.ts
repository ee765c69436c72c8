import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runRedisOwnerCommand } from "../cli/redis-owner-command";
import { freePort } from "../runtime/ports";
import { readOwner } from "../store/owner-guard";
import { createPrisma } from "../store/postgres";
import type { RedisClient } from "../store/redis";
import { newPerson, TestGate, type TestServer } from "../testing/server-gate";
import { postJson } from "../testing/server-raw-http";
import { insertToken } from "../testing/staff";
import { createTestDatabase, type TestDatabase } from "../testing/test-database";
import { apiClient, startTestRelay, startTestServer, startTestWorkers } from "../testing/test-gate";
import { connect } from "../testing/test-redis";
import { waitFor } from "../testing/wait-for";

/** The databases of tests are made from one template, so the second one is a copy of the first one's. */
let first: TestGate;
const NAMES = ["onlyfirst"].concat(Array.from({ length: 30 }, (_, n) => `firstname${n}`));
let redis: RedisClient;
let copy: TestDatabase;
let server: TestServer;
let workers: { stop(): Promise<void> };

beforeAll(async () => {
  first = await TestGate.start();
  for (const name of NAMES) await first.signUp(newPerson(name));
  await first.delivered();
  redis = await connect(first.redis.url);
  copy = await createTestDatabase();
  const urls = { databaseUrl: copy.url, redisUrl: first.redis.url };
  server = await startTestServer(urls);
  workers = startTestWorkers(urls);
});
afterAll(async () => {
  await workers?.stop();
  await server?.stop();
  await copy?.drop();
  redis?.disconnect();
  await first?.stop();
});

type Health = {
  status: string;
  filter: { version: number | null };
  alerts: { code: string; text: string }[];
};
const healthOf = async (url: string) => (await (await fetch(`${url}/healthz`)).json()) as Health;
const alertOf = async (url: string) =>
  (await healthOf(url)).alerts.find(({ code }) => code === "redis_not_owned")?.text;
const client = () => apiClient(server.url, { address: "192.0.2.1" });
const command = (database: TestDatabase, argv: string[]) => {
  const deps = { pool: database.pool, prisma: createPrisma(database.pool), operator: "tester" };
  return runRedisOwnerCommand({ ...deps, redis }, argv);
};
/** Every key with its value, but for telemetry and reports, which change each second. */
async function snapshot(): Promise<Map<string, string>> {
  const keys = (await redis.keys("*")).filter(key => !key.startsWith("{telemetry}"));
  const dumps = await Promise.all(keys.sort().map(key => redis.dumpBuffer(key)));
  return new Map(keys.map((key, i) => [key, dumps[i]!.toString("hex")]));
}

describe("a second installation on the same Redis", () => {
  it("says who owns it and the command that takes over, and writes nothing", async () => {
    await waitFor("the copy's alert", async () => /belongs/.test((await alertOf(server.url)) ?? ""));
    expect(await alertOf(server.url)).toMatch(
      /belongs to the database “.+”, of which this one is a copy.*redis-owner -- take/,
    );
    const before = await snapshot();
    await client().account.signUp.mutate(newPerson("onlycopy"));
    await new Promise(resolve => setTimeout(resolve, 3_000));
    const after = await snapshot();
    expect([...after.keys()]).toEqual([...before.keys()]);
    expect([...after].filter(([key, value]) => before.get(key) !== value)).toEqual([]);
    const readers = Object.keys(await redis.hgetall("{telemetry}:readers"));
    expect(readers.filter(reader => reader.endsWith(`:${new URL(server.url).port}`))).toEqual([]);
  });

  it("answers orders with busy, and its workers are down, in the same words", async () => {
    const secret = await insertToken(createPrisma(copy.pool), { scopes: ["orders.submit"] });
    const order = {
      kind: "limit",
      symbol: "DOGE",
      orderId: "o1",
      side: "buy",
      price: "0.07",
      quantity: "10",
    };
    const answer = await postJson(
      `${server.url}/api/trpc/orders.submit`,
      { orders: [{ ...order, accountId: "a" }] },
      { authorization: `Bearer ${secret}` },
    );
    expect(answer.status).toBe(503);
    expect(answer.json.error.data.details.retryAfterMs).toBeGreaterThan(0);

    const port = await freePort();
    const urls = { databaseUrl: copy.url, redisUrl: first.redis.url };
    const relay = startTestRelay(urls, { METRICS_PORT: port });
    const problems = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null);
      return ((await answer?.json()) as { problems: string[] } | undefined)?.problems ?? [];
    };
    await waitFor("the relay's words", async () => (await problems()).join().includes("is a copy"));
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(503);
    await relay.stop();
  });

  it("does not follow the owner's filter: its own database answers", async () => {
    expect((await healthOf(server.url)).filter.version).toBeNull();
    expect(await client().username.check.query({ username: "onlyfirst" })).toMatchObject({
      status: "available",
    });
    expect(await client().username.check.query({ username: "onlycopy" })).toMatchObject({ status: "taken" });
  });

  it("leaves the owner as it was", async () => {
    expect(await alertOf(first.server.url)).toBeUndefined();
    expect((await healthOf(first.server.url)).filter.version).not.toBeNull();
    expect(await first.check("onlyfirst")).toMatchObject({ status: "taken" });
    expect(await command(first.database, ["show"])).toMatch(/belongs to this installation/);
    expect(await command(copy, ["show"])).toMatch(/is a copy/);
  });

  it("takes over with the command, and from then on the first one writes nothing", async () => {
    await expect(command(copy, ["take"])).rejects.toThrow(/--reason/);
    expect(await command(copy, ["take", "--reason", "moved here"])).toMatch(/belongs to this installation/);
    await waitFor("the copy's filter", async () => (await healthOf(server.url)).filter.version !== null);
    await waitFor("the first one's alert", async () => (await alertOf(first.server.url)) !== undefined);
    expect(await client().username.check.query({ username: "onlycopy" })).toMatchObject({ status: "taken" });
    expect(await client().username.check.query({ username: "onlyfirst" })).toMatchObject({
      status: "available",
    });
    // Its own database answers, and not the filter of the other one.
    expect(await first.check("onlyfirst")).toMatchObject({ status: "taken" });
    expect(await first.check("onlycopy")).toMatchObject({ status: "available" });
    const { rows } = await copy.pool.query("SELECT reason FROM audit_log WHERE action = 'redis.takeOver'");
    expect(rows).toEqual([{ reason: "moved here" }]);
  });

  it("gives it back the same way, and all names of the first one are in its filter", async () => {
    await command(first.database, ["take", "--reason", "given back"]);
    await waitFor("the first one's filter", async () => (await alertOf(first.server.url)) === undefined);
    await waitFor("its version", async () => (await healthOf(first.server.url)).filter.version !== null);
    // The shards under its versions' keys were the other one's.
    for (const name of NAMES) expect(await first.check(name)).toMatchObject({ status: "taken" });
    await first.signUp(newPerson("afterwards"));
    await first.delivered();
    expect(await first.check("afterwards")).toMatchObject({ status: "taken" });
  });

  it("is not let in by an owner's mark that it forges", async () => {
    const { installation, database } = await readOwner(copy.pool);
    await redis.set("floodgate:owner", `1 ${installation} ${database} forged`);
    await waitFor("the copy to believe it", async () => (await alertOf(server.url)) === undefined);
    const before = await redis.get("bf:usernames:{bf:usernames:pointer}:owner");
    await new Promise(resolve => setTimeout(resolve, 2_000));
    expect(await redis.get("bf:usernames:{bf:usernames:pointer}:owner")).toBe(before);
    expect((await healthOf(server.url)).filter.version).toBeNull();
    await command(first.database, ["take", "--reason", "forged"]);
    await waitFor("the owner", async () => (await alertOf(first.server.url)) === undefined);
  });

  it("may be another installation, which is named", async () => {
    await copy.pool.query("UPDATE installation SET installation_id = gen_random_uuid()");
    expect(await command(copy, ["show"])).toMatch(/another installation/);
  });
});

describe("the owner", () => {
  it("owns its Redis again after it was emptied", async () => {
    await workers.stop();
    await server.stop();
    workers = { stop: async () => {} };
    server = { ...server, stop: async () => {} };
    await redis.flushall();
    await waitFor("the mark", async () => (await redis.exists("floodgate:owner")) === 1);
    await waitFor("a filter", async () => (await first.check("onlyfirst")).status === "taken");
    expect(await alertOf(first.server.url)).toBeUndefined();
  });
});
