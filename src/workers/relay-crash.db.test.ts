import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createEngines } from "../filter/detect-engine";
import type { RedisClient } from "../store/redis";
import { activeVersion, committedNames, namesNotIn } from "../testing/filter-state";
import { outboxEvents, pendingEvents } from "../testing/outbox-events";
import { terminateBackends } from "../testing/terminate-backends";
import {
  createTestDatabase,
  insertUserBySql,
  insertUsersBySql,
  type TestDatabase,
} from "../testing/test-database";
import { startTestFilter } from "../testing/test-gate";
import { connect, TestRedis } from "../testing/test-redis";
import { waitFor } from "../testing/wait-for";
import { WorkerProcess } from "../testing/worker-process";

const KILLS = 12;
/** Writers wait behind so many rows: the relay is to be killed, not to be outrun. */
const MAX_BACKLOG = 1_500;

let database: TestDatabase;
let server: TestRedis;
let redis: RedisClient;
let filter: { stop(): Promise<void> };

beforeAll(async () => {
  [database, server] = await Promise.all([createTestDatabase(), TestRedis.start()]);
  redis = await connect(server.url);
  filter = startTestFilter({ databaseUrl: database.url, redisUrl: server.url });
});
afterAll(async () => {
  await filter.stop();
  redis.disconnect();
  await Promise.all([database.drop(), server.remove()]);
});

function startRelay(env: Record<string, string> = {}): WorkerProcess {
  const relay = new WorkerProcess("relay", {
    DATABASE_URL: database.url,
    REDIS_URL: server.url,
    RELAY_POLL_MS: "20",
    RELAY_BATCH: "100",
    RELAY_LEASE_MS: "500",
    ...env,
  });
  onTestFinished(async () => void (await relay.end("SIGKILL")));
  return relay;
}

async function count(where: string): Promise<number> {
  const { rows } = await database.pool.query(`SELECT count(*)::int AS count FROM outbox WHERE ${where}`);
  return rows[0].count;
}

/** Waits until nothing is pending; when it waits in vain, the relay says why. */
async function waitUntilDelivered(relay: WorkerProcess, timeoutMs = 20_000): Promise<void> {
  const isDone = async () => (await pendingEvents(database.pool)) === 0 || !relay.isRunning;
  await waitFor("all rows to be delivered", isDone, timeoutMs).catch(async (error: Error) => {
    const pending = (await outboxEvents(database.pool)).filter(event => event.state === "pending");
    const sample = JSON.stringify(pending.slice(0, 3));
    throw new Error(`${error.message}: ${pending.length} ${sample}\n${relay.output.slice(-3_000)}`);
  });
  expect(relay.isRunning, relay.output).toBe(true);
}

/** Plain SQL without a pause: single names, bulk inserts, renames and transactions that take their time. */
function startWriting(): { stop(): Promise<number> } {
  let writing = true;
  let written = 0;
  const write = async (writer: number) => {
    while (writing) {
      await insertUserBySql(database.pool, `w${writer}-${written++}`);
      if (written % 25 === 0) {
        await insertUsersBySql(database.pool, `bulk${writer}-${written}-`, 20);
        await waitFor(
          "the relay to keep up",
          async () => !writing || (await pendingEvents(database.pool)) < MAX_BACKLOG,
        );
      }
      if (written % 10 === 0) {
        await database.pool.query(
          `UPDATE users SET username_key = 'renamed-' || username_key
           WHERE id = (SELECT id FROM users WHERE username_key LIKE 'w%' LIMIT 1)`,
        );
      }
    }
  };
  const writeLate = async () => {
    while (writing) {
      const client = await database.pool.connect();
      await client.query("BEGIN");
      await insertUserBySql(client, `late-${written++}`);
      const before = written;
      await waitFor("others to write meanwhile", () => written > before + 20 || !writing);
      await client.query("COMMIT");
      client.release();
    }
  };
  const writers = [write(1), write(2), writeLate()];
  const stop = async () => {
    writing = false;
    await Promise.all(writers);
    return written;
  };
  // Also when the test fails: writers that go on would keep the database from being dropped.
  onTestFinished(async () => void (await stop().catch(() => {})));
  return { stop };
}

describe("a relay process", () => {
  it("loses no name, however often it is killed under load", async () => {
    await insertUsersBySql(database.pool, "before", 1_000);
    const writing = startWriting();
    const moments: string[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const relay = startRelay();
      // The first ones die while the version is built, later ones after some rows, or right after a claim.
      if (kill === 0) {
        await waitFor("the version to be stored", async () => {
          const { rowCount } = await database.pool.query("SELECT FROM filter_versions");
          return rowCount === 1;
        });
        moments.push("while it built the filter");
      } else if (kill % 3 === 0) {
        await waitFor("a claim", async () => (await count(`claimed_by LIKE '%:${relay.pid}:%'`)) > 0);
        moments.push("after a claim");
      } else {
        const target = (await count("processed_at IS NOT NULL")) + Math.floor(Math.random() * 200);
        await waitFor("some deliveries", async () => (await count("processed_at IS NOT NULL")) > target);
        moments.push("after some deliveries");
      }
      // The relay's own memory and Redis' may go at once.
      if (kill === 5) await redis.flushall();
      expect(relay.isRunning, relay.output).toBe(true);
      await relay.end("SIGKILL");
    }
    const last = startRelay();
    const written = await writing.stop();
    await waitUntilDelivered(last);
    const version = await activeVersion(database.pool);
    const { bitmap } = createEngines(redis);
    const names = await committedNames(database.pool);
    await waitFor(
      "the repair to be done",
      async () => (await namesNotIn(bitmap, version!, names.slice(0, 50))).length === 0,
    );
    expect((await namesNotIn(bitmap, version!, names)).slice(0, 5)).toEqual([]);
    const events = await outboxEvents(database.pool);
    expect(events.filter(event => event.state !== "processed" || event.claimedBy !== null)).toEqual([]);
    const repeated = events.filter(event => event.attempts > 1).length;
    console.log(
      `${KILLS} kills (${new Set(moments).size} kinds of moments), ${names.length} names, ` +
        `${written} written under load, ${events.length} events, ${repeated} with a failed try`,
    );
    expect(await last.end("SIGTERM")).toBe(0);
  });

  it("continues in the same process when Postgres closes all its connections", async () => {
    const relay = startRelay();
    for (let round = 0; round < 8; round += 1) {
      await waitFor("the relay to be connected", async () => {
        const { rowCount } = await database.pool.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database()
             AND starts_with(application_name, 'floodgate relay ') AND query LIKE 'LISTEN%' AND state = 'idle'`,
        );
        return rowCount === 1 || !relay.isRunning;
      });
      await terminateBackends(database.url, "application_name LIKE 'floodgate %'");
      await insertUsersBySql(database.pool, `cut${round}-`, 10);
      await waitUntilDelivered(relay);
    }
    expect(await relay.end("SIGTERM")).toBe(0);
    expect(await count("claimed_by IS NOT NULL")).toBe(0);
  });

  it("starts without Redis, waits for it, and then drains the outbox", async () => {
    await server.kill();
    const relay = startRelay();
    await insertUsersBySql(database.pool, "early", 20);
    await waitFor("it to have looked for Redis", () => relay.output.includes("ECONNREFUSED"));
    expect(relay.isRunning, relay.output).toBe(true);
    expect(await count("payload->>'key' LIKE 'early%' AND (claimed_by IS NOT NULL OR attempts > 0)")).toBe(0);
    await server.run();
    await waitUntilDelivered(relay);
    expect(await count("dead_at IS NOT NULL")).toBe(0);
    expect(await relay.end("SIGTERM")).toBe(0);
  });

  it("reports the errors of its environment, and ends", async () => {
    const relay = startRelay({ DATABASE_URL: "", RELAY_BATCH: "none" });
    await waitFor("it to end", () => !relay.isRunning);
    expect(await relay.end("SIGKILL")).toBe(1);
    expect(relay.output).toMatch(/DATABASE_URL: is missing/);
    expect(relay.output).toMatch(/RELAY_BATCH/);
  });
});
