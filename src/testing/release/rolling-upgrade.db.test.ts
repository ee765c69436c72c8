import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, expect, it, vi } from "vitest";
import { freePort } from "../../runtime/ports";
import { createPrisma } from "../../store/postgres";
import { createEmptyDatabase, type EmptyDatabase } from "../empty-database";
import { MARKET_MAKER } from "../order-fixture";
import { insertToken } from "../staff";
import { TestRedis } from "../test-redis";
import { waitFor } from "../wait-for";
import { type WorkerName, WorkerProcess } from "../worker-process";
import {
  checkOutPreviousRelease,
  hasPreviousRelease,
  PREVIOUS_RELEASE,
  THIS_RELEASE,
} from "./previous-release";
import { KNOWN_AFTER_MS, SYMBOL, UpgradeTraffic } from "./upgrade-traffic";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

const SERVER = join(import.meta.dirname, "release-server.ts");
const WORKERS = ["relay", "filter", "aggregator", "engine"] as const;
/** How long the old and the new release serve side by side. */
const SIDE_BY_SIDE_MS = 2_500;

let database: EmptyDatabase;
let redis: TestRedis;
const running = new Set<WorkerProcess>();

afterEach(async () => {
  await Promise.all([...running].map(process => process.end("SIGKILL")));
});
afterAll(async () => {
  await redis?.remove();
  await database?.drop();
});

type Part = { process: WorkerProcess; port: number };

/** A part of a release, with a port of its own for `/readyz`. */
async function launch(dir: string, part: WorkerName | "server"): Promise<Part> {
  const port = await freePort();
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    LOG_LEVEL: "warn",
    AUTH_SECRET: "the same secret on each instance of this test",
    PORT: `${port}`,
    METRICS_PORT: part === "server" ? `${await freePort()}` : `${port}`,
    TRUSTED_PROXY_HOPS: "1",
    ENGINE_CREDIT_ACCOUNTS: MARKET_MAKER,
    FILTER_CAPACITY: "100000",
    // Many processes share the machine: the test is about answers, not about their speed.
    FILTER_TIMEOUT_MS: "2000",
    CONFIRM_DEADLINE_MS: "5000",
    SIGNUP_MAX_WAIT_MS: "20000",
  };
  const process = new WorkerProcess(part, env, part === "server" ? { dir, main: SERVER } : { dir });
  running.add(process);
  return { process, port };
}

/** Resolves when `/readyz` answers 200. */
async function started(dir: string, name: WorkerName | "server"): Promise<Part> {
  const part = await launch(dir, name);
  const isReady = () =>
    fetch(`${urlOf(part)}/readyz`).then(
      answer => answer.ok,
      () => false,
    );
  await waitFor(`the ${name} to be ready`, isReady, 60_000).catch(error => {
    throw new Error(`${error.message}\n${part.process.output}`);
  });
  return part;
}

async function migrate(dir: string): Promise<void> {
  const { process } = await launch(dir, "migrate");
  expect(await process.ended(), process.output).toBe(0);
}

async function stop({ process }: Part): Promise<void> {
  expect(await process.end("SIGTERM"), process.output).toBe(0);
}

const urlOf = ({ port }: Part) => `http://127.0.0.1:${port}`;

/** Migrates under traffic, puts a new server beside the old, and replaces each worker, the new one first. */
async function upgrade(traffic: UpgradeTraffic, old: { server: Part; workers: Part[] }): Promise<Part> {
  await migrate(THIS_RELEASE);
  await sleep(SIDE_BY_SIDE_MS);
  const server = await started(THIS_RELEASE, "server");
  traffic.urls.push(urlOf(server));
  await sleep(SIDE_BY_SIDE_MS);
  for (const [n, part] of WORKERS.entries()) {
    await started(THIS_RELEASE, part);
    await stop(old.workers[n]!);
  }
  await sleep(SIDE_BY_SIDE_MS);
  await traffic.drain(urlOf(old.server));
  await stop(old.server);
  await sleep(SIDE_BY_SIDE_MS);
  return server;
}

async function expectOrdersOnceInOrder(durable: Map<string, string[]>): Promise<void> {
  const matched = async (accountId: string) => {
    const { rows } = await database.pool.query(
      "SELECT order_id FROM engine_orders WHERE account_id = $1 AND symbol = $2 ORDER BY position",
      [accountId, SYMBOL],
    );
    return rows.map(({ order_id }) => order_id);
  };
  for (const [accountId, ids] of durable) {
    expect(ids.length).toBeGreaterThan(20);
    await waitFor(`${accountId}'s last order`, async () => (await matched(accountId)).includes(ids.at(-1)));
    expect(await matched(accountId)).toEqual(ids);
  }
  const { rows } = await database.pool.query("SELECT sum(violations)::int AS violations FROM engine_states");
  expect(rows[0].violations).toBe(0);
}

it("from the previous release under traffic: no wrong answer, no lost name, each order once and in its order", async context => {
  if (!(await hasPreviousRelease()))
    return context.skip(`This clone is too shallow to hold the previous release, ${PREVIOUS_RELEASE}.`);
  [database, redis] = await Promise.all([createEmptyDatabase(), TestRedis.start(["--appendonly", "yes"])]);
  const previous = await checkOutPreviousRelease();
  try {
    await migrate(previous.dir);
    const server = await started(previous.dir, "server");
    const workers = await Promise.all(WORKERS.map(part => started(previous.dir, part)));
    const token = await insertToken(createPrisma(database.pool), { scopes: ["orders.submit"] });
    const traffic = new UpgradeTraffic(token);
    traffic.urls.push(urlOf(server));
    await traffic.start();
    await sleep(SIDE_BY_SIDE_MS);

    const newServer = await upgrade(traffic, { server, workers });
    await traffic.stop();
    await sleep(KNOWN_AFTER_MS);

    expect(traffic.wrong).toEqual([]);
    expect(traffic.signedUp.size).toBeGreaterThan(50);
    expect(traffic.checks).toBeGreaterThan(500);
    for (const name of traffic.signedUp.keys())
      expect(await traffic.check(name, urlOf(newServer))).toBe("taken");
    await expectOrdersOnceInOrder(traffic.durable);
    for (const { output } of running) expect(output).not.toMatch(/"level":"(error|fatal)"/);
    console.log(
      `${traffic.signedUp.size} sign-ups, ${traffic.checks} checks, orders: ${[...traffic.durable.values()].map(ids => ids.length)}`,
    );
  } finally {
    await previous.remove();
  }
});
