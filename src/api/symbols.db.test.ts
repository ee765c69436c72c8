import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NO_LIMITS, RedisLog } from "../orders/redis-log";
import { UNGUARDED } from "../store/owner-guard";
import { createRedis, type RedisClient, redisIsReady } from "../store/redis";
import { rawRequest } from "../testing/server-raw-http";
import { insertToken, StaffFixture } from "../testing/staff";
import { startTestServer } from "../testing/test-gate";
import { waitFor } from "../testing/wait-for";

let fixture: StaffFixture;
let redis: RedisClient;
let token: { authorization: string };

beforeAll(async () => {
  // 100 records or 100,000 bytes a second: five such shards.
  fixture = await StaffFixture.start({ ORDER_LIMITS: "100/100000" });
  redis = createRedis(
    { url: fixture.redis.url, connectionName: "test", commandTimeoutMs: 5_000, guard: UNGUARDED },
    () => {},
  );
  await redisIsReady(redis, 5_000);
  const secret = await insertToken(fixture.database.prisma, {
    scopes: ["orders.submit", "orders.view", "symbol.view", "symbol.split"],
  });
  token = { authorization: `Bearer ${secret}` };
});
afterAll(async () => {
  redis.disconnect();
  await fixture.stop();
});

const read = async (path: string, input?: unknown) => (await fixture.ask(path, input, token)).json;
const preview = async (factor: unknown, symbol = "DOGE") => read("symbol.preview", { symbol, factor });

describe("live figures of symbols and shards", () => {
  it("are refused before there is a log", async () => {
    expect((await read("symbol.list")).error.message).toContain("no aggregator has run yet");
    await new RedisLog(redis, { log: "orders", limits: NO_LIMITS }).create(5);
  });

  it("preview each shard's load before and after a split", async () => {
    const order = (i: number) => ({
      kind: "limit",
      symbol: "DOGE",
      orderId: `o${i}`,
      accountId: "alice",
      side: "buy",
      price: "0.07",
      quantity: "10",
    });
    let sent = 0;
    await waitFor("figures of DOGE", async () => {
      const orders = Array.from({ length: 100 }, () => order(sent++));
      await fixture.call("orders.submit", { orders }, token);
      const { result } = await read("symbol.list");
      return (
        result.data.rows.find((row: { symbol: string }) => row.symbol === "DOGE").flow?.bytesPerSecond > 0
      );
    });
    const { data } = (await preview(3)).result;
    expect(data).toMatchObject({ distinctShards: 3, epoch: 0, warnings: [] });
    const before = data.shards.filter((shard: { before: number }) => shard.before > 0);
    expect(before).toHaveLength(1);
    const after = data.shards.filter((shard: { after: number }) => shard.after > 0.000_1);
    expect(after.map(({ partitionKeys }: { partitionKeys: string[] }) => partitionKeys.length)).toEqual([
      1, 1, 1,
    ]);
    for (const shard of after) expect(shard.after).toBeLessThan(before[0].before);

    const { rows, limits } = (await read("symbol.list")).result.data;
    expect(limits).toEqual({ recordsPerSecond: 100, bytesPerSecond: 100_000 });
    const btc = rows.find((row: { symbol: string }) => row.symbol === "BTC");
    expect(btc).toMatchObject({ state: "cold", flow: { offeredPerSecond: 0 }, recommended: 1 });
    expect(btc.heat).toHaveLength(60);
  });

  it("list the symbols of a shard by utilization", async () => {
    const order = (symbol: string) => ({
      kind: "limit",
      symbol,
      orderId: `s${serial++}`,
      accountId: "bob",
      side: "buy",
      price: "0.07",
      quantity: "10",
    });
    let serial = 0;
    type Shard = {
      shardId: string;
      symbols: {
        top: { symbol: string; recordsPerSecond: number; utilization: number }[];
        others: object;
      } | null;
    };
    const shardOf = async (symbol: string) => {
      const { rows } = (await read("symbol.list")).result.data;
      return rows.find((row: { symbol: string }) => row.symbol === symbol).subKeys[0].shardId as string;
    };
    const dogeShard = await shardOf("DOGE");
    await waitFor("symbols of its shard", async () => {
      for (const symbol of ["DOGE", "BTC", "DOGE"])
        await fixture.call("orders.submit", { orders: [order(symbol)] }, token);
      const { shards } = (await read("orders.status")).result.data as { shards: Shard[] };
      const shard = shards.find(({ shardId }) => shardId === dogeShard)!;
      const [first] = shard.symbols?.top ?? [];
      if (first?.symbol !== "DOGE") return false;
      expect(first.utilization).toBeGreaterThan(0);
      expect(first.recordsPerSecond).toBeGreaterThan(0);
      // DOGE is on one shard only.
      const elsewhere = shards.filter(({ shardId }) => shardId !== dogeShard);
      expect(elsewhere.flatMap(one => one.symbols!.top).map(({ symbol }) => symbol)).not.toContain("DOGE");
      return true;
    });
  });

  it("give each shard's bytes second by second", async () => {
    await waitFor("the second to be over", async () => {
      const range = { from: new Date(Date.now() - 60_000).toISOString(), to: new Date().toISOString() };
      const { stepMs, at, shards } = (await read("orders.shardSeries", range)).result.data;
      expect([stepMs, shards.length]).toEqual([1_000, 5]);
      const bytes = shards.flatMap((shard: { bytes: (number | null)[] }) => shard.bytes);
      expect(bytes).toHaveLength(at.length * 5);
      // Before the server ran the value is unknown, not zero.
      return bytes[0] === null && bytes.some((value: number | null) => (value ?? 0) > 0);
    });
  });

  it("show the stored sub-keys of a split on every server, also on one that starts later", async () => {
    type Row = { symbol: string; epoch: number; subKeys: { partitionKey: string }[]; distinctShards: number };
    const urls = { databaseUrl: fixture.database.url, redisUrl: fixture.redis.url };
    const startServer = () => startTestServer(urls, { ORDER_LIMITS: "100/100000" });
    const btcOf = async (serverUrl: string) => {
      const { json } = await rawRequest(`${serverUrl}/api/trpc/symbol.list`, { headers: token });
      return json.result?.data.rows.find(({ symbol }: Row) => symbol === "BTC") as Row | undefined;
    };
    const second = await startServer();
    const change = { symbol: "BTC", factor: 3, expectedEpoch: 0, expiresAt: null, reason: "a tweet" };
    expect((await fixture.call("symbol.split", change, token)).status).toBe(200);
    const shown = (await btcOf(fixture.server.url))!;
    expect(shown.distinctShards).toBe(3);
    const plan = await fixture.database.prisma.splitPlan.findFirst({ where: { symbol: "BTC" } });
    const stored = shown.subKeys.map(({ partitionKey }) => partitionKey);
    expect(plan).toMatchObject({ epoch: 1, subKeys: stored });
    const later = await startServer();
    try {
      for (const { url } of [second, later]) {
        await waitFor("the split to be followed", async () => (await btcOf(url))?.epoch === 1);
        expect((await btcOf(url))!.subKeys).toEqual(shown.subKeys);
      }
    } finally {
      await Promise.all([second.stop(), later.stop()]);
    }
  });

  it.each([
    ["0", 0, 400],
    ["10,000", 10_000, 400],
    ["words", "5; DROP", 400],
  ])("are refused for a factor of %s", async (_, factor, status) => {
    expect((await preview(factor)).error.data.httpStatus).toBe(status);
  });

  it("are refused for an unknown symbol", async () => {
    expect((await preview(2, "GONE")).error.data.httpStatus).toBe(404);
  });
});
