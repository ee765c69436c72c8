import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SuggestionStore } from "../../services/symbols/suggestion-store";
import { LOG, OrderFixture } from "../../testing/order-fixture";
import { waitFor } from "../../testing/wait-for";
import { watchSymbols } from "./watch-symbols";

let fixture: OrderFixture;
beforeAll(async () => {
  fixture = await OrderFixture.start({ shards: 0 });
});
afterAll(() => fixture.stop());

it("waits without a warning until the log has shards", async () => {
  const logged: string[] = [];
  let isPrepared = false;
  const { redis } = fixture;
  const watching = watchSymbols({
    pool: fixture.database.pool,
    redis,
    orderLog: fixture.log,
    logName: LOG,
    limits: { recordsPerSecond: 1_000, bytesPerSecond: 1_000_000 },
    log: pino({}, { write: line => logged.push(line) }),
    isPrepared: () => isPrepared,
    isQuiet: () => false,
  });
  try {
    await sleep(1_500);
    await fixture.log.create(1);
    isPrepared = true;
    const suggestions = new SuggestionStore(redis, LOG);
    await waitFor("a report of the watch", async () => (await suggestions.read()) !== null);
    expect(logged).toEqual([]);
  } finally {
    await watching.stop();
  }
});
