import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type ShardMap, shardOfKey } from "../../domain/orders/hash-range";
import { PlanBook } from "../../orders/plan-book";
import { setLoad } from "../../testing/order-figures";
import { OrderFixture } from "../../testing/order-fixture";
import { changeSplitPlan } from "./change-split-plan";
import { LiveFigures } from "./live-figures";

const limits = { recordsPerSecond: 1_000, bytesPerSecond: 1_000_000 };
const SHARDS = 8;

let fixture: OrderFixture;
beforeAll(async () => {
  fixture = await OrderFixture.start({ shards: SHARDS });
});
afterAll(() => fixture.stop());
beforeEach(() => fixture.database.pool.query("DELETE FROM split_plans"));

const trader = {
  actor: { kind: "user" as const, id: "1", name: "mia", role: "trader" },
  action: "symbol.split",
  requestId: null,
  address: null,
};

type Server = { plans: PlanBook; refresh(): Promise<void> };

/** The plans of one server. `hasFigures`: it has read the figures that decide the choice of sub-keys. */
async function aServer({ hasFigures = true } = {}): Promise<Server> {
  const plans = new PlanBook(fixture.database.pool);
  const figures = new LiveFigures({ redis: fixture.redis, plans, orderLog: fixture.log });
  const refresh = () => plans.refresh((symbol, factor) => figures.chooseSubKeys(symbol, factor, limits));
  await refresh();
  if (hasFigures) await figures.read();
  return { plans, refresh };
}

/** Fills a shard, so that a new split avoids it. */
async function fill(shardId: string, utilization: number): Promise<void> {
  const durable = utilization * limits.recordsPerSecond;
  const load = { offered: durable, durable, bytes: durable * 100, throttled: 0 };
  await setLoad(fixture.redis, { symbol: "BTC", shardId, ...load });
}

async function split(
  symbol: string,
  factor: number,
  placement: "planned" | "plain" = "planned",
): Promise<void> {
  const { prisma } = fixture.database;
  const deps = { prisma, shardCount: async () => SHARDS };
  const change = {
    symbol,
    factor,
    strategy: "random" as const,
    placement,
    expiresAt: null,
    reason: "a tweet",
  };
  await changeSplitPlan(deps, trader, { ...change, expectedEpoch: 0 });
}

const shardsOf = ({ plans }: Server, symbol: string, map: ShardMap) =>
  plans.subKeysOf(symbol, map).map(({ shardId }) => shardId);

it("two servers that see different loads, and one that starts later, use the same sub-keys", async () => {
  const map = await fixture.log.readMap();
  await fill("2", 0.9);
  const first = await aServer();
  await fill("2", 0);
  await fill("5", 0.9);
  const second = await aServer();
  await split("DOGE", SHARDS - 1);
  // Both refresh at once: one of them chooses.
  await Promise.all([first.refresh(), second.refresh()]);
  const chosen = first.plans.subKeysOf("DOGE", map);
  expect(chosen).toHaveLength(SHARDS - 1);
  expect(second.plans.subKeysOf("DOGE", map)).toEqual(chosen);
  const free = ["2", "5"].filter(id => !shardsOf(first, "DOGE", map).includes(id));
  expect(free).toHaveLength(1);

  await fill(shardsOf(first, "DOGE", map)[0]!, 5);
  for (const restarted of [await aServer(), await aServer({ hasFigures: false })])
    expect(restarted.plans.subKeysOf("DOGE", map)).toEqual(chosen);
  const route = second.plans.route("DOGE", "alice", map);
  expect(chosen).toContainEqual(route);
});

it("a server without figures follows and does not choose; a server with figures chooses", async () => {
  const map = await fixture.log.readMap();
  const home = shardOfKey(map.open, "ETH").id;
  const follower = await aServer({ hasFigures: false });
  await split("ETH", 3);
  await follower.refresh();
  expect(follower.plans.subKeysOf("ETH", map)).toHaveLength(3);
  expect(shardsOf(follower, "ETH", map)).toContain(home);
  await fill(home, 0.9);
  const chooser = await aServer();
  await chooser.refresh();
  await follower.refresh();
  expect(shardsOf(chooser, "ETH", map)).not.toContain(home);
  expect(follower.plans.subKeysOf("ETH", map)).toEqual(chooser.plans.subKeysOf("ETH", map));
});

it("plain suffixes, and a symbol that is not split, get no chosen sub-keys", async () => {
  const map = await fixture.log.readMap();
  const server = await aServer();
  await split("SOL", 5, "plain");
  await server.refresh();
  expect(server.plans.subKeysOf("SOL", map).map(({ partitionKey }) => partitionKey)).toEqual(
    [1, 2, 3, 4, 5].map(n => `SOL-${n}`),
  );
  expect(server.plans.subKeysOf("XRP", map)).toEqual([
    { partitionKey: "XRP", shardId: shardOfKey(map.open, "XRP").id },
  ]);
  const rows = await fixture.database.prisma.splitPlan.findMany({ where: { symbol: "SOL" } });
  expect(rows).toMatchObject([{ subKeys: [] }]);
});

it("after a reshard both servers use the same shards, and so does one that starts then", async () => {
  const before = await fixture.log.readMap();
  const [first, second] = [await aServer(), await aServer()];
  await split("ADA", 5);
  await first.refresh();
  await second.refresh();
  const chosen = first.plans.subKeysOf("ADA", before);
  const used = new Set(chosen.map(({ shardId }) => Number(shardId)));
  const lower = [...used].find(id => used.has(id + 1))!;
  await fixture.log.mergeShards(String(lower), String(lower + 1));
  await fixture.log.splitShard(String([...used].find(id => id !== lower && id !== lower + 1)));
  const after = await fixture.log.readMap();
  const placed = first.plans.subKeysOf("ADA", after);
  // The second server still uses the old shards for a moment.
  expect(second.plans.subKeysOf("ADA", before)).toEqual(chosen);
  expect(second.plans.subKeysOf("ADA", after)).toEqual(placed);
  expect((await aServer()).plans.subKeysOf("ADA", after)).toEqual(placed);
  expect(new Set(placed.map(({ shardId }) => shardId)).size).toBe(5);
  for (const { partitionKey, shardId } of placed)
    expect(shardOfKey(after.open, partitionKey).id).toBe(shardId);
});
