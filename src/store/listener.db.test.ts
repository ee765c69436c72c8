import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { terminateBackends } from "../testing/terminate-backends";
import { createTestDatabase, type TestDatabase } from "../testing/test-database";
import { collectUncaught } from "../testing/uncaught";
import { waitFor } from "../testing/wait-for";
import { createHint, OUTBOX_CHANNEL, startListener } from "./listener";

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
  const heard = { hints: 0, errors: [] as Error[] };
  const listener = startListener({
    relay: "test",
    url,
    retryMs,
    onHint: () => {
      heard.hints += 1;
    },
    onError: error => heard.errors.push(error),
  });
  onTestFinished(() => listener.stop());
  return { heard, listener };
}

describe("the hint listener", () => {
  it("hears a hint, and hints once by itself when it begins to listen", async () => {
    const { heard } = listen();
    await waitFor("the first hint", () => heard.hints === 1);
    await database.pool.query(`NOTIFY ${OUTBOX_CHANNEL}`);
    await waitFor("the second hint", () => heard.hints === 2);
  });

  it("comes back when its connection is cut, again and again", async () => {
    const uncaught = collectUncaught();
    const { heard } = listen();
    await waitFor("it to listen", async () => (await listeners()) === 1);
    for (let round = 1; round <= 3; round += 1) {
      const before = heard.hints;
      await terminateBackends(
        database.url,
        "starts_with(application_name, 'floodgate relay ') AND query LIKE 'LISTEN%'",
      );
      await waitFor("a hint for what was missed", () => heard.hints > before);
      expect(heard.errors.length).toBeGreaterThanOrEqual(round);
    }
    await waitFor("one connection", async () => (await listeners()) === 1);
    const before = heard.hints;
    await database.pool.query(`NOTIFY ${OUTBOX_CHANNEL}`);
    await waitFor("a hint", () => heard.hints > before);
    expect(uncaught).toEqual([]);
  });

  it("keeps trying while nobody answers", async () => {
    const { heard, listener } = listen("postgresql://nobody@127.0.0.1:1/nothing", 5);
    await waitFor("three tries", () => heard.errors.length >= 3);
    await listener.stop();
    expect(heard.hints).toBe(0);
  });

  it("leaves no connection behind when it is stopped, however early", async () => {
    const { listener } = listen();
    await listener.stop();
    const { heard, listener: late } = listen();
    await waitFor("a hint", () => heard.hints === 1);
    await late.stop();
    await waitFor("no listener to be left", async () => (await listeners()) === 0);
  });
});

describe("the hint", () => {
  it("makes one NOTIFY of a burst of signups", async () => {
    const { heard } = listen();
    await waitFor("it to listen", () => heard.hints === 1);
    const hint = createHint(database.pool, 50, error => expect.unreachable(String(error)));
    for (let i = 0; i < 200; i += 1) hint();
    await waitFor("the hint", () => heard.hints === 2);
    hint();
    await waitFor("the next hint", () => heard.hints === 3);
  });
});
