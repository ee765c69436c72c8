import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anOrder, OrderFixture } from "../testing/order-fixture";
import { newPerson, TestGate } from "../testing/server-gate";
import { postJson, rawRequest } from "../testing/server-raw-http";
import { cookieFrom, insertUser, PASSWORD } from "../testing/staff";
import { ensurePgbouncer, TestPgbouncer } from "../testing/test-pgbouncer";

const hasPgbouncer = await ensurePgbouncer();

describe.skipIf(!hasPgbouncer)("a server whose database is behind PgBouncer in transaction mode", () => {
  let gate: TestGate;
  let bouncer: TestPgbouncer;
  beforeAll(async () => {
    gate = await TestGate.start({
      serverUrls: async real => {
        bouncer = await TestPgbouncer.start(real.databaseUrl);
        return { ...real, databaseUrl: bouncer.url };
      },
    });
  });
  afterAll(async () => {
    await gate.stop();
    await bouncer.stop();
  });

  it("signs up, checks and signs in, many at a time", async () => {
    const people = Array.from({ length: 40 }, (_, n) => newPerson(`pooled${n}`));
    await Promise.all(people.map(person => gate.signUp(person)));
    await gate.delivered();
    const checks = await Promise.all(people.map(({ username }) => gate.check(username)));
    expect(new Set(checks.map(({ status }) => status))).toEqual(new Set(["taken"]));
    expect((await rawRequest(`${gate.server.url}/healthz`)).json).toMatchObject({ status: "ok" });
  });

  it("makes changes of staff, each once", async () => {
    await insertUser(gate.database.prisma, "admin", "adele");
    const signIn = await postJson(`${gate.server.url}/api/auth/sign-in/username`, {
      username: "adele",
      password: PASSWORD,
    });
    const headers = { cookie: cookieFrom(signIn), "idempotency-key": "a-key-behind-a-pooler" };
    const input = { pattern: "pooler", kind: "exact", reason: "a test" };
    const add = () => postJson(`${gate.server.url}/api/trpc/reserved.add`, input, headers);
    const [first, second] = [await add(), await add()];
    expect([first.status, second.text]).toEqual([200, first.text]);
  });
});

describe.skipIf(!hasPgbouncer)("an engine whose database is behind PgBouncer in transaction mode", () => {
  let fixture: OrderFixture;
  let bouncer: TestPgbouncer;
  beforeAll(async () => {
    fixture = await OrderFixture.start();
    bouncer = await TestPgbouncer.start(fixture.database.url);
    fixture.aggregator({ DATABASE_URL: bouncer.url });
  });
  afterAll(async () => {
    await fixture.stop();
    await bouncer.stop();
  });

  it("matches orders in order, and continues after a restart", async () => {
    const producer = fixture.producer();
    const orders = () => Array.from({ length: 500 }, (_, n) => anOrder({ accountId: `a${n % 20}` }));
    const engine = fixture.engine({ DATABASE_URL: bouncer.url });
    await (await producer.submit(orders())).durable;
    await fixture.matched("DOGE", 500);
    await engine.stop();
    fixture.engine({ DATABASE_URL: bouncer.url });
    await (await producer.submit(orders())).durable;
    await fixture.matched("DOGE", 1_000);
    expect(await fixture.totals("DOGE")).toMatchObject({ orders: 1_000, violations: 0 });
  });
});
