import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { terminateBackends } from "../testing/terminate-backends";
import { createTestDatabase, type TestDatabase } from "../testing/test-database";
import { collectUncaught } from "../testing/uncaught";
import { waitFor } from "../testing/wait-for";
import { createNotifier, OUTBOX_CHANNEL, startListener } from "./listener";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function listeners(): Promise<number> {
  const { rows } = await database.pool.query(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND starts_with(application_name, 'floodgate relay ') AND query LIKE 'LISTEN%'
       AND state = 'idle' AND query LIKE 'LISTEN%'`,
  );
  return rows[0].count;
}

function listen(url = database.url, retryMs = 20) {
  const heard = { notifications: 0, errors: [] as Error[] };
  const listener = startListener({
    channel: OUTBOX_CHANNEL,
    name: "floodgate relay test",
    url,
    retryMs,
    onNotification: () => {
      heard.notifications += 1;
    },
    onError: error => heard.errors.push(error),
  });
  onTestFinished(() => listener.stop());
  return { heard, listener };
}

describe("the notification listener", () => {
  it("hears a notification, and calls back once when it begins to listen", async () => {
    const { heard } = listen();
    await waitFor("the first notification", () => heard.notifications === 1);
    await database.pool.query(`NOTIFY ${OUTBOX_CHANNEL}`);
    await waitFor("the second notification", () => heard.notifications === 2);
  });

  it("comes back when its connection is cut, again and again", async () => {
    const uncaught = collectUncaught();
    const { heard } = listen();
    await waitFor("it to listen", async () => (await listeners()) === 1);
    for (let round = 1; round <= 3; round += 1) {
      const before = heard.notifications;
      await terminateBackends(
        database.url,
        "starts_with(application_name, 'floodgate relay ') AND query LIKE 'LISTEN%'",
      );
      await waitFor("a notification for what was missed", () => heard.notifications > before);
      expect(heard.errors.length).toBeGreaterThanOrEqual(round);
    }
    await waitFor("one connection", async () => (await listeners()) === 1);
    const before = heard.notifications;
    await database.pool.query(`NOTIFY ${OUTBOX_CHANNEL}`);
    await waitFor("a notification", () => heard.notifications > before);
    expect(uncaught).toEqual([]);
  });

  it("keeps trying while no server answers", async () => {
    const { heard, listener } = listen("postgresql://nobody@127.0.0.1:1/nothing", 5);
    await waitFor("three tries", () => heard.errors.length >= 3);
    await listener.stop();
    expect(heard.notifications).toBe(0);
  });

  it("leaves no connection behind when it is stopped, however early", async () => {
    const { listener } = listen();
    await listener.stop();
    const { heard, listener: late } = listen();
    await waitFor("a notification", () => heard.notifications === 1);
    await late.stop();
    await waitFor("no listener to be left", async () => (await listeners()) === 0);
  });
});

describe("the notification", () => {
  it("makes one NOTIFY of a burst of signups", async () => {
    const { heard } = listen();
    await waitFor("it to listen", () => heard.notifications === 1);
    const notification = createNotifier(database.pool, 50, error => expect.unreachable(String(error)));
    for (let i = 0; i < 200; i += 1) notification();
    await waitFor("the notification", () => heard.notifications === 2);
    notification();
    await waitFor("the next notification", () => heard.notifications === 3);
  });
});
