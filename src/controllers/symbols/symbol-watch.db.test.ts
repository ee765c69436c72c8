import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { shardOfKey } from "../../domain/orders/hash-range";
import { AUTOMATIC_MODE, EXPIRY } from "../../domain/orders/split-plan";
import { MERGEABLE_FOR_MS, SETTLE_MS } from "../../domain/orders/split-suggestion";
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

/** An order is 1 kB here, so that both limits are met together. */
const LIMITS = { recordsPerSecond: 1_000, bytesPerSecond: 1_000_000 };

let fixture: OrderFixture;
let suggestions: SuggestionStore;
/** The time that the watch is given; the times of plans are real. */
let nowMs: number;

beforeAll(async () => {
  fixture = await OrderFixture.start();
  suggestions = new SuggestionStore(fixture.redis, LOG);
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

/** @param shards the orders of DOGE's clients, in multiples of one shard's limit */
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

/** A watch that has just started: it takes over the stored watches and reads new figures. */
function newWatch(): SymbolWatch {
  const plans = new PlanBook(fixture.database.pool);
  const figures = new LiveFigures({ redis: fixture.redis, plans, orderLog: fixture.log });
  const { prisma } = fixture.database;
  return new SymbolWatch({ prisma, plans, figures, suggestions, limits: LIMITS, log: quietLog("watch") });
}

async function watchFor(seconds: number, watch = newWatch()): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    nowMs += 1_000;
    await watch.watchOnce(nowMs);
  }
}

const read = () => readSuggestions({ prisma: fixture.database.prisma, suggestions });
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
    await watchFor(4);
    expect(await suggested()).toBeNull();
    await watchFor(1);
    expect(await suggested()).toEqual({
      kind: "split",
      factor: 3,
      utilization: 2,
      throttledPerSecond: 1_000,
      waitingFor: null,
      dismissedUntil: null,
      since: new Date(sinceMs).toISOString(),
    });
    expect((await read()).of("BTC").suggestion).toBeNull();
    await load(0.3);
    await watchFor(1);
    expect(await suggested()).toBeNull();
    expect((await read()).watchedAt).not.toBeNull();
  });

  it("of a stopped watch are continued by the next one, but not after a long pause", async () => {
    await load(2);
    await watchFor(3);
    await watchFor(2, newWatch());
    expect(await suggested()).toMatchObject({ kind: "split" });
    nowMs += 30_000;
    await newWatch().watchOnce(nowMs);
    expect(await suggested()).toBeNull();
  });

  it("to merge come after a calm minute", async () => {
    await fixture.split("DOGE", 3);
    await load(0.2);
    nowMs = Date.now() + SETTLE_MS;
    await watchFor(MERGEABLE_FOR_MS / 1_000);
    expect(await suggested()).toBeNull();
    await watchFor(1);
    expect(await suggested()).toMatchObject({ kind: "merge", factor: 1, utilization: 0.2 });
  });

  it("have no time while no process watches", async () => {
    expect((await read()).watchedAt).toBeNull();
  });

  it("can be dismissed for a while, with a reason, and only while they are there", async () => {
    const { prisma, pool } = fixture.database;
    const audit = { ...trader, action: "symbol.dismiss" };
    const dismissal = { symbol: "DOGE", kind: "split" as const, forMinutes: 30, reason: "a test order" };
    await expect(dismissSuggestion({ prisma, suggestions }, audit, dismissal)).rejects.toThrow(
      "not proposed any more",
    );
    await load(2);
    await watchFor(5);
    await dismissSuggestion({ prisma, suggestions }, audit, dismissal);
    expect((await suggested())?.dismissedUntil).not.toBeNull();
    const [row] = await auditRows(pool, "action = 'symbol.dismiss'");
    expect(row).toMatchObject({ actor_name: "mia", target: "symbol:DOGE", reason: "a test order" });
    await automatic();
    await watchFor(10);
    expect(await suggested()).toMatchObject({ waitingFor: "a trader has dismissed it" });
    expect(await plansOf()).toEqual([]);
  });
});

describe("automatic mode", () => {
  it("is off by default: nothing is split however long it is hot", async () => {
    await load(2);
    await watchFor(60);
    expect(await plansOf()).toEqual([]);
  });

  it("splits within its bounds, with the evidence in an audit row, and merges again", async () => {
    await automatic({ maxFactor: 2 });
    await load(2);
    await watchFor(5);
    expect(await suggested()).toMatchObject({ waitingFor: "it must stay hot for 1 s more" });
    await watchFor(1);
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
    // The plan's cooldown is in real time; the given time is ahead of it.
    await fixture.database.pool.query("UPDATE split_plans SET set_at = set_at - interval '1 min'");
    nowMs += SETTLE_MS;
    await watchFor(MERGEABLE_FOR_MS / 1_000 + 2);
    expect((await plansOf()).map(({ factor }) => factor)).toEqual([2, 1]);
  });

  it("reserves an hour's last change for a split, and says so", async () => {
    await automatic({ maxChangesPerHour: 2 });
    await load(2);
    await watchFor(6);
    await load(0.1);
    await fixture.database.pool.query("UPDATE split_plans SET set_at = set_at - interval '1 min'");
    nowMs += SETTLE_MS;
    await watchFor(MERGEABLE_FOR_MS / 1_000 + 2);
    expect(await suggested()).toMatchObject({
      kind: "merge",
      waitingFor: "the last of 2 changes an hour is reserved for a split",
    });
    expect((await plansOf()).map(({ factor }) => factor)).toEqual([3]);
  });

  it("accepts one of two concurrent changes", async () => {
    await automatic();
    await load(2);
    await watchFor(5);
    nowMs += 1_000;
    await Promise.all([newWatch().watchOnce(nowMs), newWatch().watchOnce(nowMs)]);
    expect(await plansOf()).toHaveLength(1);
  });

  it.each(["symbol.setAutomatic", "symbol.split"] as const)(
    "does nothing while %s is switched off",
    async action => {
      await automatic();
      await setActionSwitch(fixture.database.prisma, trader, { action, off: true, reason: "an incident" });
      await load(2);
      await watchFor(10);
      expect(await suggested()).toMatchObject({ waitingFor: "it is switched off" });
      expect(await plansOf()).toEqual([]);
    },
  );

  it("does not change a trader's split", async () => {
    await fixture.split("DOGE", 2);
    await automatic();
    await load(4);
    nowMs = Date.now() + SETTLE_MS;
    await watchFor(20);
    expect(await suggested()).toMatchObject({
      waitingFor: "a trader has split it, and decides about the merge",
    });
    expect(await plansOf()).toHaveLength(1);
  });

  it("accepts one of two concurrent settings", async () => {
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

  it("is stored once when it has passed, by one of two aggregators, and shown in charts", async () => {
    const from = new Date();
    await hotUntil(new Date(Date.now() + 500));
    const workers = [fixture.aggregator(), fixture.aggregator()];
    await waitFor("the split to expire", async () => (await plansOf()).length > 1);
    await Promise.all(workers.map(worker => worker.stop()));
    await newWatch().watchOnce(Date.now());
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

  it("is not stored before it has passed, nor when a trader was faster", async () => {
    await hotUntil(new Date(Date.now() + 60_000));
    const watch = newWatch();
    await watch.watchOnce(nowMs);
    expect(await plansOf()).toHaveLength(1);
    await fixture.database.pool.query(
      `INSERT INTO split_plans SELECT symbol, 2, 5, strategy, placement, 'more', 'tom', now(), NULL
       FROM split_plans WHERE symbol = 'DOGE'`,
    );
    await watch.watchOnce(nowMs + 61_000);
    expect((await plansOf()).map(({ epoch }) => epoch)).toEqual([1, 2]);
  });
});
