import { afterAll, beforeAll, expect, it } from "vitest";
import { NO_LIMITS, RedisLog } from "../orders/redis-log";
import { UNGUARDED } from "../store/owner-guard";
import { createRedis, type RedisClient, redisIsReady } from "../store/redis";
import { insertToken, StaffFixture } from "../testing/staff";
import { type Api, createApi } from "./api-client";
import { exitCodeOf } from "./run-command";
import { runSymbolsCommand } from "./symbols-command";

let fixture: StaffFixture;
let redis: RedisClient;
let api: Api;

beforeAll(async () => {
  fixture = await StaffFixture.start();
  redis = createRedis(
    { url: fixture.redis.url, connectionName: "test", commandTimeoutMs: 5_000, guard: UNGUARDED },
    () => {},
  );
  await redisIsReady(redis, 5_000);
  await new RedisLog(redis, { log: "orders", limits: NO_LIMITS }).create(5);
  const secret = await insertToken(fixture.database.prisma, {
    scopes: ["symbol.view", "symbol.split", "symbol.add", "symbol.halt", "symbol.resume", "symbol.delist"],
  });
  api = createApi({ FLOODGATE_URL: fixture.server.url, FLOODGATE_TOKEN: secret });
});
afterAll(async () => {
  redis.disconnect();
  await fixture.stop();
});

/** Runs a command after the cooldown of the previous one, and returns the newest split plan. */
async function run(command: string, symbol: string, ...options: string[]) {
  await fixture.database.pool.query("UPDATE split_plans SET set_at = set_at - interval '1 min'");
  await runSymbolsCommand(api, [command, symbol, ...options]);
  return fixture.database.prisma.splitPlan.findFirst({ where: { symbol }, orderBy: { epoch: "desc" } });
}
const minutesLeft = (until: Date | null) => until && Math.round((until.getTime() - Date.now()) / 60_000);

it("hot splits a symbol for an hour, random and planned by default", async () => {
  const plan = await run("hot", "DOGE", "--factor", "2");
  expect(plan).toMatchObject({ factor: 2, strategy: "account", placement: "planned" });
  expect(minutesLeft(plan!.expiresAt)).toBe(60);
});

it("hot keeps the values of a split symbol for the options not given", async () => {
  const first = await run("hot", "BTC", "--factor", "2", "--for", "300", "--strategy", "account", "--plain");
  const more = await run("hot", "BTC", "--factor", "3");
  expect(more).toMatchObject({ epoch: 2, factor: 3, strategy: "account", placement: "plain" });
  expect(more!.expiresAt).toEqual(first!.expiresAt);

  const given = await run("hot", "BTC", "--factor", "3", "--for", "0", "--strategy", "random", "--planned");
  expect(given).toMatchObject({ epoch: 3, strategy: "random", placement: "planned", expiresAt: null });
  expect(await run("hot", "BTC", "--factor", "4")).toMatchObject({ factor: 4, expiresAt: null });
});

it("hot starts with the defaults after a merge", async () => {
  await run("hot", "ETH", "--factor", "2", "--for", "300", "--strategy", "random");
  await run("merge", "ETH");
  const plan = await run("hot", "ETH", "--factor", "2");
  expect(plan).toMatchObject({ epoch: 3, strategy: "account" });
  expect(minutesLeft(plan!.expiresAt)).toBe(60);
});

const cli = (...argv: string[]) => runSymbolsCommand(api, argv);
const stateOf = async (symbol: string) =>
  (await fixture.database.prisma.tradedSymbol.findUnique({ where: { symbol } }))?.state;

it("add lists a symbol; halt, resume and delist change its state as a server shows it", async () => {
  await cli("add", "LTC", "--price-decimals", "2", "--quantity-decimals", "8");
  await expect(cli("add", "LTC", "--price-decimals", "2", "--quantity-decimals", "8")).rejects.toThrow(
    "LTC is listed already.",
  );
  expect(await cli("halt", "LTC", "--reason", "a fork of its chain")).toEqual({ listingVersion: 1 });
  const { rows } = (await cli("list")) as { rows: { symbol: string; state: string; halt: unknown }[] };
  expect(rows.find(({ symbol }) => symbol === "LTC")).toMatchObject({
    state: "halted",
    halt: { reason: "a fork of its chain", by: "test" },
  });
  await expect(cli("halt", "LTC", "--reason", "again", "--version", "0")).rejects.toThrow(
    "Another user changed the listing of LTC in the meantime.",
  );
  await cli("resume", "LTC");
  expect(await stateOf("LTC")).toBe("trading");
  await expect(cli("delist", "LTC")).rejects.toThrow("LTC trades. Halt it first.");
});

it("delist is refused with what to do while it is unknown what is on its way", async () => {
  await cli("halt", "SOL", "--reason", "a fork of its chain");
  expect(await cli("pending", "SOL")).toMatchObject({ openOrders: 0, behind: 0, lagMs: null });
  const refusal = await cli("delist", "SOL").catch((error: unknown) => error);
  expect(exitCodeOf(refusal)).toBe(1);
  expect((refusal as Error).message).toMatch(/lag of the aggregator of SOL is unknown.* try again\.$/);
  expect(await stateOf("SOL")).toBe("halted");
});
