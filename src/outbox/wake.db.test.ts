import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { OUTBOX_CHANNEL } from "../store/listener";
import { filterFixture } from "../testing/filter-fixture";
import { makeVersion } from "../testing/filter-state";
import { outboxEvents, pendingEvents } from "../testing/outbox-events";
import { terminateBackends } from "../testing/terminate-backends";
import { insertUserBySql, insertUsersBySql } from "../testing/test-database";
import { startTestRelay } from "../testing/test-gate";
import { collectUncaught } from "../testing/uncaught";
import { waitFor } from "../testing/wait-for";

const NEVER_MS = 3_600_000;

const fixture = filterFixture();
let relay: ReturnType<typeof startTestRelay>;

beforeEach(() => makeVersion(fixture.pool, fixture.bitmap));
afterEach(async () => {
  fixture.server.resume();
  await relay.stop();
});

async function start(overrides: Parameters<typeof startTestRelay>[1]): Promise<void> {
  relay = startTestRelay(fixture.urls, overrides);
  await listening();
}

/** Waits until one connection listens for notifications. */
function listening(): Promise<void> {
  return waitFor("the relay to listen", async () => {
    const { rowCount } = await fixture.pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database()
         AND starts_with(application_name, 'floodgate relay ') AND query LIKE 'LISTEN%' AND state = 'idle'`,
    );
    return rowCount === 1;
  });
}

const delivered = (what: string) =>
  waitFor(what, async () => (await pendingEvents(fixture.pool)) === 0, 30_000);

describe("a relay", () => {
  it("delivers at a notification, long before its next poll", async () => {
    await start({ RELAY_POLL_MS: NEVER_MS });
    for (const name of ["first", "second"]) {
      await insertUserBySql(fixture.pool, name);
      await fixture.pool.query(`NOTIFY ${OUTBOX_CHANNEL}`);
      await delivered("the delivery after a notification");
    }
  });

  it("delivers by polling without a notification", async () => {
    await start({ RELAY_POLL_MS: 50 });
    await insertUserBySql(fixture.pool, "quiet");
    await delivered("the poll");
  });

  it("delivers while its listener is disconnected, and listens again automatically", async () => {
    const uncaught = collectUncaught();
    await start({ RELAY_POLL_MS: 50 });
    for (let round = 0; round < 3; round += 1) {
      await terminateBackends(
        fixture.database.url,
        "starts_with(application_name, 'floodgate relay ') AND query LIKE 'LISTEN%'",
      );
      await insertUserBySql(fixture.pool, `cut${round}`);
      await delivered("the poll");
      await listening();
    }
    expect(uncaught).toEqual([]);
  });

  it("receives notifications again after its listener was disconnected", async () => {
    await start({ RELAY_POLL_MS: NEVER_MS });
    await terminateBackends(
      fixture.database.url,
      "starts_with(application_name, 'floodgate relay ') AND query LIKE 'LISTEN%'",
    );
    await listening();
    await insertUserBySql(fixture.pool, "heard");
    await fixture.pool.query(`NOTIFY ${OUTBOX_CHANNEL}`);
    await delivered("the notification");
  });

  it("survives the loss of all its connections, more often than its pool has connections", async () => {
    const uncaught = collectUncaught();
    await start({ RELAY_POLL_MS: 50, RELAY_LEASE_MS: 500 });
    for (let round = 0; round < 10; round += 1) {
      await insertUsersBySql(fixture.pool, `round${round}-`, 20);
      await terminateBackends(fixture.database.url, "application_name LIKE 'floodgate %'");
      await delivered("everything to be delivered");
      await listening();
    }
    expect(uncaught).toEqual([]);
  });

  it("releases its claims when it stops, also while Redis does not answer", async () => {
    await start({ RELAY_POLL_MS: 50, RELAY_LEASE_MS: NEVER_MS, RELAY_TIMEOUT_MS: 500 });
    fixture.server.pause();
    await insertUsersBySql(fixture.pool, "claimed", 50);
    await waitFor("the rows to be claimed", async () =>
      (await outboxEvents(fixture.pool)).every(event => event.claimedBy !== null || event.attempts > 0),
    );
    await relay.stop();
    const events = await outboxEvents(fixture.pool);
    expect(events.filter(event => event.claimedBy !== null)).toEqual([]);
    expect(events.map(event => event.state)).toEqual(events.map(() => "pending"));
    fixture.server.resume();
    await fixture.pool.query("UPDATE outbox SET next_attempt_at = NULL");
    await start({ RELAY_POLL_MS: 50 });
    await delivered("the next relay to deliver them");
  });

  it("can be stopped right after its start, and leaves no connection", async () => {
    relay = startTestRelay(fixture.urls);
    await relay.stop();
    // A backend ends a moment after its client has disconnected.
    await waitFor("every connection to end", async () => {
      const { rowCount } = await fixture.pool.query(
        `SELECT FROM pg_stat_activity
         WHERE datname = current_database() AND application_name LIKE 'floodgate %' AND backend_type = 'client backend'`,
      );
      return rowCount === 0;
    });
    relay = startTestRelay(fixture.urls);
  });
});
