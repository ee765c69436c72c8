import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../runtime/ports";
import { anOrder, OrderFixture } from "../testing/order-fixture";
import { endFault, raiseFault } from "../testing/raise-fault";
import { TestGate } from "../testing/server-gate";
import { rawRequest } from "../testing/server-raw-http";
import { insertUserBySql } from "../testing/test-database";
import { waitFor } from "../testing/wait-for";

/** What passes: the worker tries again until it does. */
const PASSING = ["57P01", "53300", "53100", "08006", "25006", "57014", "55P03", "58030", "40001", "40P01"];

const healthAt = async (port: number) => (await rawRequest(`http://127.0.0.1:${port}/healthz`)).text;

describe("the relay, while the database raises", () => {
  let gate: TestGate;
  let port: number;
  beforeAll(async () => {
    port = await freePort();
    gate = await TestGate.start({ relay: { METRICS_PORT: port } });
  });
  afterAll(() => gate.stop());
  afterEach(() => endFault(gate.database.pool));

  it.each(PASSING)("%s, delivers nothing, says so, and delivers everything afterwards", async code => {
    const name = `relayed-${code.toLowerCase()}`;
    await raiseFault(gate.database.pool, { table: "outbox", on: "UPDATE", code });
    await insertUserBySql(gate.database.pool, name);
    await waitFor("health to name the error", async () => (await healthAt(port)).includes(code));
    expect(await gate.pendingEvents()).toBe(1);
    await endFault(gate.database.pool);
    await gate.delivered();
    expect((await gate.check(name)).status).toBe("taken");
    await waitFor("health to be quiet", async () => !(await healthAt(port)).includes(code));
  });
});

describe("the engine, while the database raises", () => {
  let fixture: OrderFixture;
  let port: number;
  let sent = 0;
  beforeAll(async () => {
    port = await freePort();
    fixture = await OrderFixture.start();
    fixture.aggregator();
    fixture.engine({ METRICS_PORT: String(port) });
  });
  afterAll(() => fixture.stop());
  afterEach(() => endFault(fixture.database.pool));

  it.each(PASSING)("%s, stores nothing, says so, and matches each order once afterwards", async code => {
    const producer = fixture.producer();
    const submit = async (count: number) => {
      sent += count;
      const orders = Array.from({ length: count }, () => anOrder({ accountId: code }));
      await (await producer.submit(orders)).durable;
    };
    await submit(10);
    await fixture.matched("DOGE", sent);
    await raiseFault(fixture.database.pool, { table: "engine_states", on: "UPDATE", code });
    const before = sent;
    await submit(20);
    await waitFor("health to name the error", async () => (await healthAt(port)).includes(code));
    expect((await fixture.totals("DOGE")).orders).toBe(before);
    await endFault(fixture.database.pool);
    await fixture.matched("DOGE", sent);
    expect(await fixture.totals("DOGE")).toMatchObject({ orders: sent, violations: 0 });
    await waitFor("health to be quiet", async () => !(await healthAt(port)).includes(code));
  });
});
