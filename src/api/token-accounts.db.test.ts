import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NO_LIMITS, RedisLog } from "../orders/redis-log";
import { UNGUARDED } from "../store/owner-guard";
import { createRedis, type RedisClient, redisIsReady } from "../store/redis";
import { auditRows, StaffFixture } from "../testing/staff";
import { metricOf } from "../testing/test-gate";

let fixture: StaffFixture;
let redis: RedisClient;
let admin: { cookie: string };

beforeAll(async () => {
  fixture = await StaffFixture.start({ ORDER_LIMITS: "off" });
  redis = createRedis(
    { url: fixture.redis.url, connectionName: "test", commandTimeoutMs: 5_000, guard: UNGUARDED },
    () => {},
  );
  await redisIsReady(redis, 5_000);
  await new RedisLog(redis, { log: "orders", limits: NO_LIMITS }).create(1);
  await fixture.insert("admin", "chief");
  admin = { cookie: await fixture.cookieOf("chief") };
});
afterAll(async () => {
  redis.disconnect();
  await fixture.stop();
});

let serial = 0;
const create = (grant: object) => {
  serial += 1;
  return fixture.call("token.create", { name: `token${serial}`, ...grant }, admin);
};
const bearer = async (grant: object) => {
  const { json } = await create(grant);
  return { authorization: `Bearer ${json.result.data.secret}` };
};
const order = (accountId: string, change: object = {}) => {
  serial += 1;
  const base = { kind: "limit", symbol: "DOGE", orderId: `o${serial}`, side: "buy", price: "0.07" };
  return { ...base, quantity: "10", accountId, ...change };
};
const cancel = (accountId: string) => ({ kind: "cancel", symbol: "DOGE", orderId: "o1", accountId });
const submit = (orders: object[], headers: Record<string, string>) =>
  fixture.call("orders.submit", { orders, waitForDurable: false }, headers);
const messageOf = (answer: Awaited<ReturnType<typeof submit>>) => answer.json.error.message as string;
/** Orders that the server took since it started. */
const taken = () => metricOf(fixture.server.registry, "orders_accepted_total");

describe("creating a token that may submit orders", () => {
  it.each([[undefined], [[]]])(
    "is refused without accounts (%j), with a text that says what to give",
    async accounts => {
      const answer = await create({ scopes: ["orders.submit", "orders.view"], accounts });
      expect(answer.status).toBe(400);
      expect(messageOf(answer)).toContain("accounts");
      expect(messageOf(answer)).toContain("“*”");
      expect(await fixture.database.prisma.serviceToken.count({ where: { name: `token${serial}` } })).toBe(0);
    },
  );

  it("is refused by the database, too", async () => {
    const data = { name: "unbound", hash: "unbound", scopes: ["orders.submit"], createdBy: "test" };
    await expect(fixture.database.prisma.serviceToken.create({ data })).rejects.toThrow();
  });

  it("is refused with accounts that no account can have, or “*” beside others", async () => {
    for (const accounts of [["al ice"], ["*", "alice"]])
      expect((await create({ scopes: ["orders.submit"], accounts })).status).toBe(400);
  });

  it("shows its accounts in the list and in the audit log", async () => {
    const accounts = ["alice", "desk-*"];
    expect((await create({ scopes: ["orders.submit"], accounts })).status).toBe(200);
    const name = `token${serial}`;
    const { rows } = (await fixture.ask("token.list", undefined, admin)).json.result.data;
    expect(rows.find((row: { name: string }) => row.name === name)).toMatchObject({ accounts });
    const [row] = await auditRows(fixture.database.pool, `target = 'token:${name}'`);
    expect(row).toMatchObject({ outcome: "ok", after: { scopes: ["orders.submit"], accounts } });
  });

  it("accounts for a token that may not submit orders are refused", async () => {
    const answer = await create({ role: "viewer", accounts: ["alice"] });
    expect([answer.status, messageOf(answer)]).toEqual([400, expect.stringContaining("orders.submit")]);
  });
});

describe("a token that is bound to accounts", () => {
  it("submits limits, markets and cancels for them alone; of a mixed batch nothing is taken", async () => {
    const token = await bearer({ scopes: ["orders.submit"], accounts: ["alice", "desk-*"] });
    const own = [order("alice"), order("desk-1", { kind: "market" }), cancel("desk-2")];
    expect((await submit(own, token)).json.result.data).toMatchObject({ accepted: 3 });
    const others = [order("mallory"), order("market-maker", { kind: "market", side: "sell" }), cancel("bob")];
    for (const other of others) {
      const before = await taken();
      const answer = await submit([order("alice"), other], token);
      expect(answer.status).toBe(403);
      expect(messageOf(answer)).toBe(
        `Order 2: This token may not use the account ${other.accountId}. It may use: alice, desk-*.`,
      );
      expect(await taken()).toBe(before);
    }
    const [row] = await auditRows(fixture.database.pool, "action = 'orders.submit'");
    expect(row).toMatchObject({
      actor_kind: "token",
      outcome: "refused",
      after: { procedure: "orders.submit", error: expect.stringContaining("bob") },
    });
  });

  it("with “*” submits for all accounts", async () => {
    const token = await bearer({ scopes: ["orders.submit"], accounts: ["*"] });
    expect((await submit([order("alice"), order("bob")], token)).status).toBe(200);
  });

  it("with the role admin and no accounts submits for none; with accounts, for them", async () => {
    const unbound = await submit([order("alice")], await bearer({ role: "admin" }));
    expect([unbound.status, messageOf(unbound)]).toEqual([403, expect.stringContaining("no account")]);
    const bound = await bearer({ role: "admin", accounts: ["alice"] });
    expect((await submit([order("alice")], bound)).status).toBe(200);
    expect((await submit([order("bob")], bound)).status).toBe(403);
  });

  it("a signed-in admin submits for any account", async () => {
    expect((await submit([order("alice"), order("bob")], admin)).status).toBe(200);
  });
});
