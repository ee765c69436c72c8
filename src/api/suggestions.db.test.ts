import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NO_LIMITS, RedisLog } from "../orders/redis-log";
import { SuggestionStore } from "../services/symbols/suggestion-store";
import { UNGUARDED } from "../store/owner-guard";
import { createRedis, type RedisClient, redisIsReady } from "../store/redis";
import { auditRows, StaffFixture } from "../testing/staff";
import { waitFor } from "../testing/wait-for";

let fixture: StaffFixture;
let redis: RedisClient;
let trader: { cookie: string };

beforeAll(async () => {
  fixture = await StaffFixture.start();
  redis = createRedis(
    { url: fixture.redis.url, connectionName: "test", commandTimeoutMs: 5_000, guard: UNGUARDED },
    () => {},
  );
  await redisIsReady(redis, 5_000);
  await new RedisLog(redis, { log: "orders", limits: NO_LIMITS }).create(5);
  await fixture.insert("trader", "tess");
  trader = { cookie: await fixture.cookieOf("tess") };
});
afterAll(async () => {
  redis.disconnect();
  await fixture.stop();
});

type Row = {
  symbol: string;
  suggestion: { dismissedUntil: string | null } | null;
  automatic: { on: boolean; version: number; maxFactor: number };
};
const list = async () =>
  (await fixture.ask("symbol.list", undefined, trader)).json.result.data as {
    watchedAt: string | null;
    rows: Row[];
  };
const rowOf = async (symbol: string) => (await list()).rows.find(row => row.symbol === symbol)!;
/** Writes a suggestion as an aggregator does. */
const propose = () =>
  new SuggestionStore(redis, "orders").write(
    [
      {
        symbol: "DOGE",
        phase: "hot",
        epoch: 0,
        factor: 1,
        sinceMs: Date.now() - 9_000,
        proposed: 3,
        utilization: 1.8,
        throttledPerSecond: 12,
        waitingFor: null,
      },
    ],
    Date.now(),
  );

describe("symbol.setAutomatic", () => {
  const set = (change: object = {}) => {
    const bounds = { maxFactor: 4, minHotSeconds: 10, maxChangesPerHour: 4 };
    const input = { symbol: "BTC", on: true, ...bounds, expectedVersion: 0, reason: "nights", ...change };
    return fixture.call("symbol.setAutomatic", input, trader);
  };

  it.each([
    ["a factor of 1", { maxFactor: 1 }],
    ["a factor of 10,000", { maxFactor: 10_000 }],
    ["a factor in words", { maxFactor: "5; DROP" }],
    ["no time at all", { minHotSeconds: 0 }],
    ["half a change an hour", { maxChangesPerHour: 0.5 }],
    ["no reason", { reason: " " }],
  ])("refuses %s", async (_, change) => {
    expect((await set(change)).status).toBe(400);
    expect((await rowOf("BTC")).automatic).toMatchObject({ on: false, version: 0 });
  });

  it("is shown with its bounds, audited with its reason, and refuses a stale version", async () => {
    expect((await set()).status).toBe(200);
    expect((await rowOf("BTC")).automatic).toMatchObject({ on: true, version: 1, maxFactor: 4 });
    const [row] = await auditRows(fixture.database.pool, "action = 'symbol.setAutomatic' AND outcome = 'ok'");
    expect(row).toMatchObject({
      actor_name: "tess",
      target: "symbol:BTC",
      reason: "nights",
      before: { automatic: false },
      after: { automatic: true, maxFactor: 4, minHotSeconds: 10, maxChangesPerHour: 4 },
    });
    expect((await set({ on: false })).status).toBe(409);
    expect((await set({ symbol: "NOPE" })).status).toBe(404);
    const failed = await auditRows(
      fixture.database.pool,
      "action = 'symbol.setAutomatic' AND outcome = 'failed'",
    );
    expect(failed.map(({ target }) => target)).toEqual(["symbol:NOPE", "symbol:BTC"]);
  });
});

describe("symbol.dismiss", () => {
  const dismiss = (change: object = {}) =>
    fixture.call("symbol.dismiss", { symbol: "DOGE", kind: "split", reason: "a test", ...change }, trader);

  it("has no watch time and nothing to dismiss before an aggregator has run", async () => {
    expect((await list()).watchedAt).toBeNull();
    expect((await dismiss()).status).toBe(404);
  });

  it("hides a suggestion for 30 minutes, and only one that is proposed", async () => {
    await propose();
    // The list is built once a second for all callers.
    await waitFor("the suggestion", async () => (await rowOf("DOGE")).suggestion !== null);
    expect((await rowOf("DOGE")).suggestion).toMatchObject({
      kind: "split",
      factor: 3,
      dismissedUntil: null,
    });
    expect((await dismiss({ kind: "merge" })).status).toBe(404);
    expect((await dismiss({ forMinutes: 1 })).status).toBe(400);
    expect((await dismiss({ forMinutes: 10_000 })).status).toBe(400);
    expect((await dismiss()).status).toBe(200);
    const until = Date.parse((await rowOf("DOGE")).suggestion!.dismissedUntil!);
    expect(Math.abs(until - Date.now() - 30 * 60_000)).toBeLessThan(60_000);
    // Automatic mode of the symbol stays as it was.
    expect((await rowOf("DOGE")).automatic).toMatchObject({ on: false, version: 0 });
  });
});

describe("engine.get", () => {
  it("refuses an unknown symbol and malformed text", async () => {
    expect((await fixture.ask("engine.get", { symbol: "NOPE" }, trader)).status).toBe(404);
    expect((await fixture.ask("engine.get", { symbol: "'; --" }, trader)).status).toBe(400);
    const { rows } = (await fixture.ask("engine.list", undefined, trader)).json.result.data;
    expect(rows.find(({ symbol }: { symbol: string }) => symbol === "DOGE")).toMatchObject({
      book: null,
      position: 0,
      behind: null,
      ordersPerSecond: null,
      last: null,
    });
  });
});
