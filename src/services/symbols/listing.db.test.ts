import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OrderInput } from "../../domain/orders/order";
import { PlanBook } from "../../orders/plan-book";
import { Instruments } from "../../telemetry/instruments";
import { createProducerMetrics } from "../../telemetry/order-metrics";
import { LOG, OrderFixture } from "../../testing/order-fixture";
import { auditRows } from "../../testing/staff";
import { waitFor } from "../../testing/wait-for";
import { RecentOrders } from "../orders/recent-orders";
import { type SubmitOrdersDeps, submitOrders } from "../orders/submit-orders";
import { addSymbol } from "./add-symbol";
import { changeListing, delistSymbol } from "./change-listing";
import { changeSplitPlan } from "./change-split-plan";
import { readDelistProblem } from "./read-pending-orders";

let fixture: OrderFixture;
let server: SubmitOrdersDeps;
beforeAll(async () => {
  fixture = await OrderFixture.start();
  fixture.aggregator();
  fixture.engine();
  server = {
    plans: fixture.plans,
    producer: fixture.producer(),
    metrics: createProducerMetrics(new Instruments()),
    recentOrders: new RecentOrders(),
    charge: async () => 0,
  };
});
afterAll(() => fixture.stop());

const audit = (action: string, name = "mia") => ({
  actor: { kind: "user" as const, id: name, name, role: "trader" },
  action,
  requestId: null,
  address: null,
});

const reason = "a fork of its chain";
const add = (symbol: string, { priceDecimals = 2, quantityDecimals = 8, by = "mia" } = {}) =>
  addSymbol(fixture.database.prisma, audit("symbol.add", by), {
    symbol,
    priceDecimals,
    quantityDecimals,
    reason,
  });
const change = (kind: "halt" | "resume", symbol: string, expectedVersion: number, by = "mia") =>
  changeListing(fixture.database.prisma, audit(`symbol.${kind}`, by), kind, {
    symbol,
    expectedVersion,
    reason,
  });
const deps = () => ({
  prisma: fixture.database.prisma,
  pool: fixture.database.pool,
  redis: fixture.redis,
  log: LOG,
  plans: fixture.plans,
});
const delist = async (symbol: string, expectedVersion: number) => {
  await fixture.plans.refresh();
  return delistSymbol(deps(), audit("symbol.delist"), { symbol, expectedVersion, reason });
};
const pending = async (symbol: string) => {
  await fixture.plans.refresh();
  return readDelistProblem(deps(), symbol);
};

let serial = 0;
const order = (symbol: string, more: object = {}) => {
  serial += 1;
  const id = { symbol, orderId: `l${serial}`, accountId: "alice" };
  return { kind: "limit", side: "buy", price: "7", quantity: "1", ...id, ...more } as OrderInput;
};
/** The refresh of one server, which repeats it 2.5 times a second. */
const submit = async (...orders: OrderInput[]) => {
  await fixture.plans.refresh();
  return submitOrders(server, "alice", { orders, waitForDurable: true });
};
const rowOf = (symbol: string) => fixture.database.prisma.tradedSymbol.findUnique({ where: { symbol } });
const newestAudit = async (symbol: string) =>
  (await auditRows(fixture.database.pool, `target = 'symbol:${symbol}'`, 1))[0];
/** As if it was halted a minute ago. */
const settle = (symbol: string) =>
  fixture.database.pool.query(
    "UPDATE traded_symbols SET state_since = state_since - interval '1 min' WHERE symbol = $1",
    [symbol],
  );

describe("adding a symbol", () => {
  it("makes it tradable, and says who added it and why", async () => {
    await expect(submit(order("LTC"))).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await add("LTC");
    expect(await submit(order("LTC"))).toEqual({ accepted: 1, durable: true });
    await fixture.matched("LTC", 1);
    expect(await newestAudit("LTC")).toMatchObject({
      actor_name: "mia",
      action: "symbol.add",
      reason,
      before: { state: "not listed" },
      after: { state: "trading", priceDecimals: 2, quantityDecimals: 8 },
    });
  });

  it("twice is a conflict, also for two users at once", async () => {
    await expect(add("LTC")).rejects.toMatchObject({
      code: "CONFLICT",
      message: "LTC is listed already.",
    });
    const both = await Promise.allSettled([add("DOT", { by: "mia" }), add("DOT", { by: "noah" })]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const { reason: refusal } = both.find(({ status }) => status === "rejected") as PromiseRejectedResult;
    expect(refusal).toMatchObject({ code: "CONFLICT" });
    expect(await auditRows(fixture.database.pool, "target = 'symbol:DOT'")).toHaveLength(1);
  });
});

describe("a halt", () => {
  it("refuses new orders with its reason, matches those on their way, and accepts cancels", async () => {
    const resting = order("BTC");
    await submit(resting);
    const onTheirWay = await submitOrders(server, "alice", {
      orders: [order("BTC"), order("BTC")],
      waitForDurable: false,
    });
    expect(onTheirWay.accepted).toBe(2);
    await change("halt", "BTC", 0);
    await expect(submit(order("ETH"), order("BTC"))).rejects.toMatchObject({
      code: "CONFLICT",
      details: { rule: "halted" },
      message: `Order 2: BTC is halted: ${reason}. It accepts only cancels until a trader resumes it.`,
    });
    await fixture.matched("BTC", 3);
    const { orderId } = resting;
    await submit({ kind: "cancel", symbol: "BTC", accountId: "alice", orderId });
    await fixture.matched("BTC", 4);
    const where = { symbol: "BTC", orderId };
    const stored = await fixture.database.prisma.engineOrder.findFirst({ where });
    expect(stored?.cancelledPosition).not.toBeNull();
    expect(await newestAudit("BTC")).toMatchObject({
      action: "symbol.halt",
      before: { state: "trading" },
      after: { state: "halted" },
      reason,
    });
  });

  it("is followed by each server with its next refresh, and ends with a resume", async () => {
    const other = new PlanBook(fixture.database.pool);
    await other.refresh();
    expect(other.tradedSymbols.get("BTC")).toMatchObject({ listingVersion: 1, halt: { reason, by: "mia" } });
    await change("resume", "BTC", 1);
    await other.refresh();
    expect(other.tradedSymbols.get("BTC")).toMatchObject({ listingVersion: 2, halt: null });
    expect(await submit(order("BTC"))).toMatchObject({ accepted: 1 });
  });

  it("of two users at once is made by one; the other one gets a conflict", async () => {
    const both = await Promise.allSettled([
      change("halt", "XRP", 0, "mia"),
      change("halt", "XRP", 0, "noah"),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const { reason: refusal } = both.find(({ status }) => status === "rejected") as PromiseRejectedResult;
    expect(refusal).toMatchObject({
      code: "CONFLICT",
      message: "Another user changed the listing of XRP in the meantime. Reload and try again.",
    });
    expect(await auditRows(fixture.database.pool, "target = 'symbol:XRP'")).toHaveLength(1);
    await expect(change("halt", "XRP", 1)).rejects.toMatchObject({ message: "XRP is halted already." });
    await expect(change("resume", "SOL", 0)).rejects.toMatchObject({
      message: "SOL is not halted: it trades.",
    });
    await expect(change("halt", "NOPE", 0)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("delisting", () => {
  it("is refused while the symbol trades, has open orders, or can have orders on their way", async () => {
    await submit(order("ADA", { orderId: "open" }));
    await fixture.matched("ADA", 1);
    await expect(delist("ADA", 0)).rejects.toMatchObject({ message: "ADA trades. Halt it first." });
    await change("halt", "ADA", 0);
    await expect(delist("ADA", 1)).rejects.toMatchObject({
      code: "CONFLICT",
      message: "ADA has 1 open order. Cancel it first: a halted symbol accepts cancels.",
    });
    expect(await pending("ADA")).toMatchObject({ openOrders: 1, behind: 0 });
    await submit({ kind: "cancel", symbol: "ADA", accountId: "alice", orderId: "open" });
    await fixture.matched("ADA", 2);
    await expect(delist("ADA", 1)).rejects.toMatchObject({
      // Of ADA from before the halt, or because the lag of its aggregator is not known yet.
      message: expect.stringMatching(/can still be on their way/),
    });
    expect(await rowOf("ADA")).toMatchObject({ state: "halted", stateVersion: 1 });
  });

  it("ends the symbol in every server; its orders keep their decimals", async () => {
    await settle("ADA");
    await waitFor("the lag of the aggregator", async () => (await pending("ADA")).problem === null);
    expect(await delist("ADA", 1)).toEqual({ listingVersion: 2 });
    await expect(submit(order("ADA"))).rejects.toMatchObject({ message: /There is no symbol “ADA”/ });
    expect(fixture.plans.decimalsOf("ADA")).toMatchObject({ priceDecimals: 5, quantityDecimals: 4 });
    await expect(change("resume", "ADA", 2)).rejects.toMatchObject({ code: "NOT_FOUND" });
    const split = { factor: 2, strategy: "account", placement: "planned", expiresAt: null } as const;
    const shards = { prisma: fixture.database.prisma, shardCount: async () => 5 };
    await expect(
      changeSplitPlan(shards, audit("symbol.split"), { symbol: "ADA", expectedEpoch: 0, reason, ...split }),
    ).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await newestAudit("ADA")).toMatchObject({ action: "symbol.delist", after: { state: "delisted" } });
  });

  it("is undone by adding the symbol with the same decimals, and trades go on", async () => {
    await expect(add("ADA", { priceDecimals: 2 })).rejects.toMatchObject({
      code: "BAD_REQUEST",
      message: expect.stringContaining("List it again with the same decimals."),
    });
    await add("ADA", { priceDecimals: 5, quantityDecimals: 4 });
    expect(await rowOf("ADA")).toMatchObject({ state: "trading", stateVersion: 3 });
    await submit(order("ADA"));
    await fixture.matched("ADA", 3);
  });

  it("is refused while the symbol is split, and while no aggregator tells its lag", async () => {
    await fixture.split("SOL", 2);
    await change("halt", "SOL", 0);
    await settle("SOL");
    await expect(delist("SOL", 1)).rejects.toMatchObject({
      message: "SOL is split by 2. Cool it down first.",
    });
    const nowhere = { ...deps(), log: "other" };
    expect(await readDelistProblem(nowhere, "BTC")).toMatchObject({ lagMs: null });
  });
});
