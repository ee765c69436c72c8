import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { shardOfKey } from "../../domain/orders/hash-range";
import { AUTOMATIC_MODE, EXPIRY } from "../../domain/orders/split-plan";
import { COOL_FOR_MS, SETTLE_MS } from "../../domain/orders/split-suggestion";
import { PlanBook } from "../../orders/plan-book";
import { setActionSwitch } from "../../services/access/set-action-switch";
import { readAnnotations } from "../../services/audit/read-annotations";
import { dismissSuggestion } from "../../services/symbols/dismiss-suggestion";
import { LiveFigures } from "../../services/symbols/live-figures";
import { readSuggestions } from "../../services/symbols/read-suggestions";
import { setAutomaticMode } from "../../services/symbols/set-automatic-mode";
import { SuggestionStore } from "../../services/symbols/suggestion-store";
import { setLoad } from "../../testing/order-figures";
import { LOG, OrderFixture } from "../../testing/order-fixture";
import { quietLog } from "../../testing/quiet-log";
import { auditRows } from "../../testing/staff";
import { waitFor } from "../../testing/wait-for";
import { SymbolWatch } from "./symbol-watch";

/** An order is 1 kB here, so that both are met at once. */
const LIMITS = { recordsPerSecond: 1_000, bytesPerSecond: 1_000_000 };

let fixture: OrderFixture;
let board: SuggestionStore;
/** The time that is told to the watch; the plans' own times are real ones. */
let nowMs: number;

beforeAll(async () => {
  fixture = await OrderFixture.start();
  board = new SuggestionStore(fixture.redis, LOG);
});
afterAll(() => fixture.stop());
beforeEach(async () => {
  await fixture.database.pool.query(
    "DELETE FROM split_plans; DELETE FROM symbol_watch; DELETE FROM action_switches",
  );
  await fixture.redis.del(`orders:{${LOG}}:suggestions`);
  nowMs = Date.now();
  await load(0);
});

const trader = {
  actor: { kind: "user" as const, id: "1", name: "mia", role: "trader" },
  action: "symbol.setAutomatic",
  requestId: null,
  address: null,
};

/** @param shards how many times what one shard takes DOGE's clients offer */
async function load(shards: number): Promise<void> {
  const { open } = await fixture.log.readMap();
  const offered = shards * 1_000;
  const durable = Math.min(1_000, offered);
  await setLoad(fixture.redis, {
    symbol: "DOGE",
    shardId: shardOfKey(open, "DOGE").id,
    offered,
    durable,
    bytes: durable * 1_000,
    throttled: offered - durable,
  });
}

/** A watch that has just started: it knows what is on the board, and reads figures anew. */
function newWatch(): SymbolWatch {
  const plans = new PlanBook(fixture.database.pool);
  const figures = new LiveFigures({ redis: fixture.redis, plans, orderLog: fixture.log });
  const { prisma } = fixture.database;
  return new SymbolWatch({ prisma, plans, figures, board, limits: LIMITS, log: quietLog("watch") });
}

async function lookFor(seconds: number, watch = newWatch()): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    nowMs += 1_000;
    await watch.look(nowMs);
  }
}

const read = () => readSuggestions({ prisma: fixture.database.prisma, board });
const suggested = async () => (await read()).of("DOGE").suggestion;
const plansOf = () =>
  fixture.database.prisma.splitPlan.findMany({ where: { symbol: "DOGE" }, orderBy: { epoch: "asc" } });
const automatic = (change: object = {}) =>
  setAutomaticMode(fixture.database.prisma, trader, {
    symbol: "DOGE",
    on: true,
    maxFactor: 5,
    minHotSeconds: 5,
    maxChangesPerHour: 4,
    reason: "nights",
    expectedVersion: 0,
    ...change,
  });

describe("suggestions", () => {
  it("appear within seconds with their evidence, and go with the load", async () => {
    await load(2);
    const sinceMs = nowMs + 1_000;
    await lookFor(4);
    expect(await suggested()).toBeNull();
    await lookFor(1);
    expect(await suggested()).toEqual({
      kind: "split",
      factor: 3,
      utilization: 2,
      throttledPerSecond: 1_000,
      held: null,
      dismissedUntil: null,
      since: new Date(sinceMs).toISOString(),
    });
    expect((await read()).of("BTC").suggestion).toBeNull();
    await load(0.3);
    await lookFor(1);
    expect(await suggested()).toBeNull();
    expect((await read()).watchedAt).not.toBeNull();
  });

  it("of a watch that has died are carried on by the next one, but not when nobody watched for long", async () => {
    await load(2);
    await lookFor(3);
    await lookFor(2, newWatch());
    expect(await suggested()).toMatchObject({ kind: "split" });
    nowMs += 30_000;
    await newWatch().look(nowMs);
    expect(await suggested()).toBeNull();
  });

  it("to cool down come after a calm minute", async () => {
    await fixture.split("DOGE", 3);
    await load(0.2);
    nowMs = Date.now() + SETTLE_MS;
    await lookFor(COOL_FOR_MS / 1_000);
    expect(await suggested()).toBeNull();
    await lookFor(1);
    expect(await suggested()).toMatchObject({ kind: "unsplit", factor: 1, utilization: 0.2 });
  });

  it("say that nobody watches when nobody does", async () => {
    expect((await read()).watchedAt).toBeNull();
  });

  it("can be dismissed for a while, with a reason, and only while they are there", async () => {
    const { prisma, pool } = fixture.database;
    const audit = { ...trader, action: "symbol.dismiss" };
    const dismissal = { symbol: "DOGE", kind: "split" as const, forMinutes: 30, reason: "a test order" };
    await expect(dismissSuggestion({ prisma, board }, audit, dismissal)).rejects.toThrow(
      "not proposed any more",
    );
    await load(2);
    await lookFor(5);
    await dismissSuggestion({ prisma, board }, audit, dismissal);
    expect((await suggested())?.dismissedUntil).not.toBeNull();
    const [row] = await auditRows(pool, "action = 'symbol.dismiss'");
    expect(row).toMatchObject({ actor_name: "mia", target: "symbol:DOGE", reason: "a test order" });
    await automatic();
    await lookFor(10);
    expect(await suggested()).toMatchObject({ held: "a trader has dismissed it" });
    expect(await plansOf()).toEqual([]);
  });
});

describe("automatic mode", () => {
  it("is off by default: nothing is split however long it is hot", async () => {
    await load(2);
    await lookFor(60);
    expect(await plansOf()).toEqual([]);
  });

  it("splits within its bounds, as an audit row with the evidence says, and cools down again", async () => {
    await automatic({ maxFactor: 2 });
    await load(2);
    await lookFor(5);
    expect(await suggested()).toMatchObject({ held: "it has to be hot for 1 s more" });
    await lookFor(1);
    expect(await plansOf()).toMatchObject([{ epoch: 1, factor: 2, setBy: AUTOMATIC_MODE, expiresAt: null }]);
    const [row] = await auditRows(fixture.database.pool, "action = 'symbol.split'");
    expect(row).toMatchObject({
      actor_kind: "system",
      actor_name: AUTOMATIC_MODE,
      target: "symbol:DOGE",
      outcome: "ok",
      before: { factor: 1 },
      after: { factor: 2, epoch: 1 },
      reason: "Automatic: 200 % of one shard's limit, hot for 5 s, 1000 records/s refused. Allowed by mia.",
    });
    await load(0.1);
    // The plan's own cooldown is real time, which the told time is ahead of.
    await fixture.database.pool.query("UPDATE split_plans SET set_at = set_at - interval '1 min'");
    nowMs += SETTLE_MS;
    await lookFor(COOL_FOR_MS / 1_000 + 2);
    expect((await plansOf()).map(({ factor }) => factor)).toEqual([2, 1]);
  });

  it("says that it keeps an hour's last change for a split, and does", async () => {
    await automatic({ maxChangesPerHour: 2 });
    await load(2);
    await lookFor(6);
    await load(0.1);
    await fixture.database.pool.query("UPDATE split_plans SET set_at = set_at - interval '1 min'");
    nowMs += SETTLE_MS;
    await lookFor(COOL_FOR_MS / 1_000 + 2);
    expect(await suggested()).toMatchObject({
      kind: "unsplit",
      held: "the last of 2 changes an hour is kept for a split",
    });
    expect((await plansOf()).map(({ factor }) => factor)).toEqual([3]);
  });

  it("of two that act at once one wins", async () => {
    await automatic();
    await load(2);
    await lookFor(5);
    nowMs += 1_000;
    await Promise.all([newWatch().look(nowMs), newWatch().look(nowMs)]);
    expect(await plansOf()).toHaveLength(1);
  });

  it.each(["symbol.setAutomatic", "symbol.split"] as const)("does nothing while %s is switched off", async action => {
    await automatic();
    await setActionSwitch(fixture.database.prisma, trader, { action, off: true, reason: "an incident" });
    await load(2);
    await lookFor(10);
    expect(await suggested()).toMatchObject({ held: "it is switched off" });
    expect(await plansOf()).toEqual([]);
  });

  it("leaves alone what a trader has split", async () => {
    await fixture.split("DOGE", 2);
    await automatic();
    await load(4);
    nowMs = Date.now() + SETTLE_MS;
    await lookFor(20);
    expect(await suggested()).toMatchObject({ held: "a trader has split it, and decides about it" });
    expect(await plansOf()).toHaveLength(1);
  });

  it("is changed by one of two traders", async () => {
    const both = await Promise.allSettled([automatic(), automatic({ maxFactor: 3 })]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await expect(automatic()).rejects.toMatchObject({ code: "CONFLICT" });
    await automatic({ on: false, expectedVersion: 1 });
    expect((await read()).of("DOGE").automatic).toMatchObject({ on: false, version: 2, setBy: "mia" });
    await expect(automatic({ symbol: "NOPE" })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("“hot until”", () => {
  const hotUntil = (until: Date) =>
    fixture.database.pool.query(
      `INSERT INTO split_plans (symbol, epoch, factor, strategy, placement, reason, set_by, set_at, expires_at)
       VALUES ('DOGE', 1, 4, 'account', 'planned', 'a tweet', 'mia', now() - interval '1 min', $1)`,
      [until],
    );

  it("is written down once when it has passed, by one of two aggregators, and shown in charts", async () => {
    const from = new Date();
    await hotUntil(new Date(Date.now() + 500));
    const workers = [fixture.aggregator(), fixture.aggregator()];
    await waitFor("the split to expire", async () => (await plansOf()).length > 1);
    await Promise.all(workers.map(worker => worker.stop()));
    await newWatch().look(Date.now());
    expect(await plansOf()).toMatchObject([
      { epoch: 1, factor: 4 },
      { epoch: 2, factor: 1, strategy: "account", setBy: EXPIRY, expiresAt: null },
    ]);
    const rows = await auditRows(fixture.database.pool, "action = 'symbol.expire'");
    expect(rows).toMatchObject([
      {
        actor_kind: "system",
        actor_name: EXPIRY,
        target: "symbol:DOGE",
        outcome: "ok",
        before: { factor: 4, epoch: 1 },
        after: { factor: 1, epoch: 2 },
      },
    ]);
    const marks = await readAnnotations(fixture.database.prisma, { from, to: new Date() });
    expect(marks).toMatchObject([{ kind: "symbol.expire", label: "A split expired: symbol:DOGE, expiry" }]);
  });

  it("is not written down before it has passed, nor when a trader was faster", async () => {
    await hotUntil(new Date(Date.now() + 60_000));
    const watch = newWatch();
    await watch.look(nowMs);
    expect(await plansOf()).toHaveLength(1);
    await fixture.database.pool.query(
      `INSERT INTO split_plans SELECT symbol, 2, 5, strategy, placement, 'more', 'tom', now(), NULL
       FROM split_plans WHERE symbol = 'DOGE'`,
    );
    await watch.look(nowMs + 61_000);
    expect((await plansOf()).map(({ epoch }) => epoch)).toEqual([1, 2]);
  });
});
