import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createEngines } from "../filter/detect-engine";
import { OUTBOX_CHANNEL } from "../store/listener";
import { connect } from "../testing/engine-contract";
import { makeVersion } from "../testing/filter-state";
import { outboxEvents, pendingEvents } from "../testing/outbox-events";
import { terminateBackends } from "../testing/terminate-backends";
import {
  createTestDatabase,
  insertUserBySql,
  insertUsersBySql,
  type TestDatabase,
} from "../testing/test-database";
import { startTestRelay } from "../testing/test-gate";
import { TestRedis } from "../testing/test-redis";
import { collectUncaught } from "../testing/uncaught";
import { waitFor } from "../testing/wait-for";

const NEVER_MS = 3_600_000;

let database: TestDatabase;
let server: TestRedis;
let relay: ReturnType<typeof startTestRelay>;

beforeAll(async () => {
  server = await TestRedis.start();
});
afterAll(() => server.remove());
beforeEach(async () => {
  await server.ask("FLUSHALL");
  database = await createTestDatabase();
  const redis = await connect(server.url);
  await makeVersion(database.pool, createEngines(redis).bitmap);
  redis.disconnect();
});
afterEach(async () => {
  server.resume();
  await relay.stop();
  await database.drop();
});

async function start(overrides: Parameters<typeof startTestRelay>[1]): Promise<void> {
  relay = startTestRelay({ databaseUrl: database.url, redisUrl: server.url }, overrides);
  await listening();
}

/** Waits until one connection listens for notifications. */
function listening(): Promise<void> {
  return waitFor("the relay to listen", async () => {
    const { rowCount } = await database.pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database()
         AND starts_with(application_name, 'floodgate relay ') AND query LIKE 'LISTEN%' AND state = 'idle' AND query LIKE 'LISTEN%'`,
    );
    return rowCount === 1;
  });
}

const delivered = (what: string) =>
  waitFor(what, async () => (await pendingEvents(database.pool)) === 0, 30_000);

describe("a relay", () => {
  it("is woken by a notification long before it would look by itself", async () => {
    await start({ RELAY_POLL_MS: NEVER_MS });
    for (const name of ["first", "second"]) {
      await insertUserBySql(database.pool, name);
      await database.pool.query(`NOTIFY ${OUTBOX_CHANNEL}`);
      await delivered("the notification to wake the relay");
    }
  });

  it("delivers by polling when nobody notifications", async () => {
    await start({ RELAY_POLL_MS: 50 });
    await insertUserBySql(database.pool, "quiet");
    await delivered("the poll");
  });

  it("delivers while its listener is cut off, and listens again by itself", async () => {
    const uncaught = collectUncaught();
    await start({ RELAY_POLL_MS: 50 });
    for (let round = 0; round < 3; round += 1) {
      await terminateBackends(
        database.url,
        "starts_with(application_name, 'floodgate relay ') AND query LIKE 'LISTEN%'",
      );
      await insertUserBySql(database.pool, `cut${round}`);
      await delivered("the poll");
      await listening();
    }
    expect(uncaught).toEqual([]);
  });

  it("hears notifications again after its listener was cut off", async () => {
    await start({ RELAY_POLL_MS: NEVER_MS });
    await terminateBackends(
      database.url,
      "starts_with(application_name, 'floodgate relay ') AND query LIKE 'LISTEN%'",
    );
    await listening();
    await insertUserBySql(database.pool, "heard");
    await database.pool.query(`NOTIFY ${OUTBOX_CHANNEL}`);
    await delivered("the notification");
  });

  it("survives the loss of all its connections, more often than its pool has places", async () => {
    const uncaught = collectUncaught();
    await start({ RELAY_POLL_MS: 50, RELAY_LEASE_MS: 500 });
    for (let round = 0; round < 10; round += 1) {
      await insertUsersBySql(database.pool, `round${round}-`, 20);
      await terminateBackends(database.url, "application_name LIKE 'floodgate %'");
      await delivered("everything to be delivered");
      await listening();
    }
    expect(uncaught).toEqual([]);
  });

  it("gives its claims back when it stops, also while Redis is silent", async () => {
    await start({ RELAY_POLL_MS: 50, RELAY_LEASE_MS: NEVER_MS, RELAY_TIMEOUT_MS: 500 });
    server.pause();
    await insertUsersBySql(database.pool, "claimed", 50);
    await waitFor("the rows to be claimed", async () =>
      (await outboxEvents(database.pool)).every(event => event.claimedBy !== null || event.attempts > 0),
    );
    await relay.stop();
    const events = await outboxEvents(database.pool);
    expect(events.filter(event => event.claimedBy !== null)).toEqual([]);
    expect(events.map(event => event.state)).toEqual(events.map(() => "pending"));
    server.resume();
    await database.pool.query("UPDATE outbox SET next_attempt_at = NULL");
    await start({ RELAY_POLL_MS: 50 });
    await delivered("the next relay to deliver them");
  });

  it("can be stopped the moment it was started, and leaves no connection", async () => {
    relay = startTestRelay({ databaseUrl: database.url, redisUrl: server.url });
    await relay.stop();
    // A backend ends a moment after its client has gone.
    await waitFor("every connection to be gone", async () => {
      const { rowCount } = await database.pool.query(
        `SELECT FROM pg_stat_activity
         WHERE datname = current_database() AND application_name LIKE 'floodgate %' AND backend_type = 'client backend'`,
      );
      return rowCount === 0;
    });
    relay = startTestRelay({ databaseUrl: database.url, redisUrl: server.url });
  });
});
