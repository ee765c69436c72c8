import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { shardOfKey } from "../../domain/orders/hash-range";
import type { ReshardableLog } from "../../domain/orders/order-log";
import { compareStamps } from "../../domain/orders/order-stamp";
import { applyShardChange, neighboursOf, type ShardChange } from "../../domain/orders/shard-change";
import { PlanBook } from "../../orders/plan-book";
import { NO_LIMITS, RedisLog } from "../../orders/redis-log";
import { deadLettersKey, shardMetaKey } from "../../store/order-keys";
import type { RedisClient } from "../../store/redis";
import { anOrder, LOG, OrderFixture } from "../../testing/order-fixture";
import { readOrdered } from "../../testing/read-ordered";
import { auditRows } from "../../testing/staff";
import { waitFor } from "../../testing/wait-for";
import { changeShards } from "./change-shards";

let fixture: OrderFixture;
beforeAll(async () => {
  fixture = await OrderFixture.start({ shards: 4 });
});
afterAll(() => fixture.stop());
/** The audit log can only be added to: a test reads what is newer. */
let auditedBefore = "0";
beforeEach(async () => {
  const { rows } = await fixture.database.pool.query("SELECT coalesce(max(id), 0) AS id FROM audit_log");
  auditedBefore = rows[0].id;
});
afterEach(() => fixture.database.pool.query("DELETE FROM split_plans"));

const audit = {
  actor: { kind: "user" as const, id: "1", name: "mia", role: "trader" },
  action: "shards.change",
  requestId: null,
  address: null,
};
const rows = () => auditRows(fixture.database.pool, `action = 'shards.change' AND id > ${auditedBefore}`);

/** As an operator on a server of its own. */
async function make(change: ShardChange, log: ReshardableLog = fixture.log, version?: number) {
  const expectedVersion = version ?? (await log.readMap()).version;
  const deps = {
    prisma: fixture.database.prisma,
    orderLog: log,
    plans: new PlanBook(fixture.database.pool),
  };
  return changeShards(deps, audit, { change, expectedVersion, reason: "a launch" });
}

/** A log whose reshard fails in this way. */
const failing = (log: ReshardableLog, reshard: ReshardableLog["reshard"]): ReshardableLog =>
  Object.assign(Object.create(log) as ReshardableLog, { reshard });

describe("a change of the shards by an operator", () => {
  it("is made with its audit row", async () => {
    const { version, open } = await fixture.log.readMap();
    const split = await make({ kind: "split", shardId: "0" });
    expect(split).toEqual({ closed: ["0"], opened: ["4", "5"], version: version + 1, isComplete: true });
    const merged = await make({ kind: "merge", shardId: "4", neighbourId: "5" });
    expect(merged).toMatchObject({ closed: ["4", "5"], opened: ["6"], version: version + 2 });
    expect((await fixture.log.readMap()).open).toHaveLength(open.length);
    expect(await rows()).toMatchObject([
      { target: "shards:4", outcome: "ok", after: { change: "merge", shards: 4, opened: ["6"] } },
      {
        actor_name: "mia",
        reason: "a launch",
        target: "shards:0",
        before: { version, shards: 4, closed: ["0"] },
        after: { change: "split", shards: 5, opened: ["4", "5"] },
      },
    ]);
  });

  it("of two at once is made once, and the other one is a conflict without an audit row", async () => {
    const { version, open } = await fixture.log.readMap();
    const both = open.slice(0, 2).map(({ id }) => make({ kind: "split", shardId: id }, fixture.log, version));
    const outcomes = await Promise.allSettled(both);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const lost = outcomes.find(({ status }) => status === "rejected") as PromiseRejectedResult;
    expect(lost.reason).toMatchObject({ code: "CONFLICT" });
    expect(lost.reason.message).toContain("List the shards again");
    expect((await fixture.log.readMap()).open).toHaveLength(open.length + 1);
    expect(await rows()).toHaveLength(1);
    const stale = make({ kind: "split", shardId: open[2]!.id }, fixture.log, version);
    await expect(stale).rejects.toMatchObject({ code: "CONFLICT" });
  });

  it("to fewer shards than a split's factor is refused, and says which symbol to merge first", async () => {
    const { version, open } = await fixture.log.readMap();
    await fixture.split("DOGE", open.length);
    const { id } = open[0]!;
    const merge = { kind: "merge" as const, shardId: id, neighbourId: neighboursOf(open, id)[0]! };
    await expect(make(merge)).rejects.toMatchObject({
      code: "BAD_REQUEST",
      message: expect.stringContaining(`DOGE is split by ${open.length}. First merge DOGE`),
    });
    expect((await fixture.log.readMap()).version).toBe(version);
    expect(await rows()).toEqual([]);
    await fixture.split("DOGE", open.length - 1);
    expect((await make(merge)).isComplete).toBe(true);
  });

  it.each([
    [{ kind: "split", shardId: "99" }, "NOT_FOUND"],
    [{ kind: "merge", shardId: "99", neighbourId: "1" }, "NOT_FOUND"],
  ] as const)("%j is refused with %s", async (change, code) => {
    await expect(make(change)).rejects.toMatchObject({ code });
    expect(await rows()).toEqual([]);
  });

  it("of shards that are not adjacent is refused", async () => {
    const { open } = await fixture.log.readMap();
    const [first, ...others] = open.toSorted((a, b) => (a.startHash < b.startHash ? -1 : 1));
    const change = { kind: "merge" as const, shardId: first!.id, neighbourId: others.at(-1)!.id };
    await expect(make(change)).rejects.toMatchObject({ code: "BAD_REQUEST" });
  });

  it("without an answer of the log is audited as failed, since it may have been made", async () => {
    const { open } = await fixture.log.readMap();
    const log = failing(fixture.log, () => Promise.reject(new Error("Command timed out")));
    await expect(make({ kind: "split", shardId: open[0]!.id }, log)).rejects.toMatchObject({
      code: "BUSY",
      message: expect.stringContaining("it is unknown whether the shards were changed"),
    });
    expect(await rows()).toMatchObject([{ outcome: "failed", target: `shards:${open[0]!.id}` }]);
  });

  it("that the log lists later is answered as not complete", async () => {
    const map = await fixture.log.readMap();
    const log = failing(fixture.log, async () => true);
    const change = { kind: "split" as const, shardId: map.open[0]!.id };
    expect(await make(change, log)).toMatchObject({ isComplete: false, version: map.version });
  });
});

describe("while producers write and an aggregator reads", () => {
  it("splits and merges lose, double and reorder no order of an account", async () => {
    fixture.aggregator();
    await fixture.split("DOGE", 3);
    const producers = [fixture.producer(), fixture.producer()];
    const accounts = 12;
    const sent = new Map<string, string[]>();
    const accountOf = new Map<string, string>();
    let isStopped = false;
    /** Each account has one server, and sends its next orders before the last ones are durable. */
    const write = async (account: number) => {
      const accountId = `a${account}`;
      const ids: string[] = [];
      sent.set(accountId, ids);
      const durable: Promise<void>[] = [];
      while (!isStopped) {
        const orders = Array.from({ length: 20 }, () => anOrder({ accountId }));
        for (const { orderId } of orders) {
          ids.push(orderId);
          accountOf.set(orderId, accountId);
        }
        durable.push((await producers[account % producers.length]!.submit(orders)).durable);
        if (durable.length % 3 === 0) await durable.at(-1);
      }
      await Promise.all(durable);
    };
    const writing = Promise.all(Array.from({ length: accounts }, (_, account) => write(account)));
    const total = () => [...sent.values()].reduce((sum, ids) => sum + ids.length, 0);
    for (let step = 0; step < 6; step += 1) {
      const before = total();
      await waitFor("more orders", () => total() >= before + 1_000);
      const { open } = await fixture.log.readMap();
      const { id } = open[step % open.length]!;
      const change: ShardChange =
        step % 2 === 0
          ? { kind: "split", shardId: id }
          : { kind: "merge", shardId: id, neighbourId: neighboursOf(open, id)[0]! };
      const { after } = applyShardChange({ open }, change);
      expect(await make(change)).toMatchObject({ isComplete: true });
      expect((await fixture.log.readMap()).open.map(({ id: shard }) => shard).sort()).toEqual(
        after.map(({ id: shard }) => shard).sort(),
      );
    }
    isStopped = true;
    await writing;

    await waitFor(
      "all orders in the ordered stream",
      async () => (await readOrdered(fixture.redis, LOG, "DOGE")).length >= total(),
      30_000,
    );
    const ordered = await readOrdered(fixture.redis, LOG, "DOGE");
    for (let i = 1; i < ordered.length; i += 1)
      expect(compareStamps(ordered[i - 1]!.stamp, ordered[i]!.stamp)).toBeLessThan(0);
    const byAccount = new Map<string, string[]>();
    for (const { orderId } of ordered) {
      const accountId = accountOf.get(orderId)!;
      const ids = byAccount.get(accountId) ?? [];
      byAccount.set(accountId, ids);
      ids.push(orderId);
    }
    for (const [accountId, ids] of sent) expect(byAccount.get(accountId)).toEqual(ids);
    expect(await fixture.redis.xlen(deadLettersKey(LOG))).toBe(0);
  });

  it("a change whose server ends before the old shard is closed is completed, and orders go on", async () => {
    const ending = Object.assign(Object.create(fixture.redis) as RedisClient, {
      orderClose: () => Promise.reject(new Error("the process has ended")),
    });
    const log = new RedisLog(ending, { log: LOG, limits: NO_LIMITS });
    const { open } = await log.readMap();
    const { id } = shardOfKey(open, "ETH");
    await expect(make({ kind: "split", shardId: id }, log)).rejects.toMatchObject({ code: "BUSY" });
    expect((await log.readMap()).open.map(shard => shard.id)).not.toContain(id);
    expect(await fixture.redis.hexists(shardMetaKey(LOG, id), "closed")).toBe(0);
    // This producer publishes the new map: the old shard gets no more watermarks.
    await (await fixture.producer().submit([anOrder({ symbol: "ETH" })])).durable;
    await waitFor("the order", async () => (await readOrdered(fixture.redis, LOG, "ETH")).length > 0, 30_000);
  });

  it("an idle log delivers the first order after a change", async () => {
    const before = (await readOrdered(fixture.redis, LOG, "BTC")).length;
    const { open } = await fixture.log.readMap();
    await make({ kind: "split", shardId: open[0]!.id });
    await (await fixture.producer().submit([anOrder({ symbol: "BTC" })])).durable;
    await waitFor("the order", async () => (await readOrdered(fixture.redis, LOG, "BTC")).length > before);
  });
});
