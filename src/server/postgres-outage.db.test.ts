import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { GateHealth } from "../api/context";
import { percentile } from "../domain/percentile";
import { failureOf, newPerson, PRODUCTION_DEADLINES, TestGate } from "../testing/server-gate";
import { rawRequest } from "../testing/server-raw-http";
import { TcpProxy } from "../testing/server-tcp-proxy";
import { WireLog } from "../testing/server-wire-log";
import { insertUsersBySql } from "../testing/test-database";
import { waitFor } from "../testing/wait-for";

const { CONFIRM_DEADLINE_MS } = PRODUCTION_DEADLINES;
const CONFIRM_CONCURRENCY = 8;
const POOL = 10;
const TAKEN = Array.from({ length: 300 }, (_, n) => `held${n}`);

let gate: TestGate;
let proxy: TcpProxy;
const wire = new WireLog();

beforeAll(async () => {
  gate = await TestGate.start({
    server: { ...PRODUCTION_DEADLINES, DATABASE_POOL: POOL, CONFIRM_CONCURRENCY },
    serverUrls: async real => {
      proxy = await TcpProxy.start(real.databaseUrl, { onClientData: wire.take });
      return { ...real, databaseUrl: proxy.through(real.databaseUrl) };
    },
  });
  await insertUsersBySql(gate.database.pool, "held", TAKEN.length);
  await gate.delivered();
});

afterAll(async () => {
  proxy.flow();
  await gate.stop();
  await proxy.stop();
});

afterEach(async () => {
  proxy.flow();
  await waitFor("the database to answer again", async () => (await gate.check(TAKEN[0]!)).status === "taken");
});

async function timed<T>(call: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const startedAt = performance.now();
  return { value: await call(), ms: performance.now() - startedAt };
}

describe("Postgres hangs: its sockets are open and nothing passes", () => {
  it("answers busy within the deadline for a name that may be taken", async () => {
    proxy.stall();
    const { value, ms } = await timed(() => gate.check(TAKEN[1]!));
    expect(value).toEqual({ status: "busy", retryAfterMs: 2_000 });
    expect(ms).toBeGreaterThan(CONFIRM_DEADLINE_MS - 20);
    // Long for a busy machine; the timeout of a query is 5 s.
    expect(ms).toBeLessThan(CONFIRM_DEADLINE_MS + 1_000);
  });

  it("answers available for a name that the filter proves to be free", async () => {
    proxy.stall();
    await waitFor("an answer of the filter", async () => {
      const answer = await gate.check("a-free-name");
      return answer.status === "available" && answer.source === "filter";
    });
  });

  it("answers busy for such a name once the relay's lag is unknown for too long", async () => {
    proxy.stall();
    await waitFor("busy", async () => (await gate.check("a-free-name")).status === "busy");
    expect((await gate.check("another-free-name")).status).toBe("busy");
  });

  it("answers 300 such calls with busy in time, and few of them reach the database", async () => {
    const healthy = await timed(() => Promise.all(TAKEN.map(name => timed(() => gate.check(name)))));
    proxy.stall();
    wire.clear();
    const { value: calls, ms: allMs } = await timed(() =>
      Promise.all(TAKEN.map(name => timed(() => gate.check(name)))),
    );
    expect(new Set(calls.map(call => call.value.status))).toEqual(new Set(["busy"]));
    const ms = calls.map(call => call.ms);
    console.log(
      "Postgres hangs, burst of 300:",
      JSON.stringify({
        p99: Math.round(percentile(ms, 0.99)),
        max: Math.round(Math.max(...ms)),
        healthyMax: Math.round(Math.max(...healthy.value.map(call => call.ms))),
        connections: proxy.openConnections,
      }),
    );
    expect(allMs).toBeLessThan(CONFIRM_DEADLINE_MS + healthy.ms + 500);
    expect(proxy.openConnections).toBeLessThanOrEqual(POOL);
    proxy.flow();
    await waitFor("an answer", async () => (await gate.check(TAKEN[0]!)).status === "taken");
    const confirms = wire.statements.filter(sql => /^SELECT\b.*\busername_skeleton\b/s.test(sql));
    console.log("questions that Postgres got of those 300:", confirms.length);
    // The running queries, and those of the wait above.
    expect(confirms.length).toBeGreaterThan(0);
    expect(confirms.length).toBeLessThanOrEqual(CONFIRM_CONCURRENCY * 2 + 2);
  });

  it("reports health as down in time for a probe, and /readyz answers 503", async () => {
    proxy.stall();
    const { value: ready, ms } = await timed(() => rawRequest(`${gate.server.url}/readyz`));
    expect(ready.status).toBe(503);
    expect((ready.json as GateHealth).status).toBe("down");
    expect(ms).toBeLessThan(2_500);
  });

  it("queries the database once for 50 concurrent probes", async () => {
    proxy.stall();
    wire.clear();
    const probes = await Promise.all(
      Array.from({ length: 50 }, () => rawRequest(`${gate.server.url}/healthz`)),
    );
    expect(new Set(probes.map(probe => probe.status))).toEqual(new Set([200]));
    proxy.flow();
    await waitFor("an answer", async () => (await gate.check(TAKEN[2]!)).status === "taken");
    expect(wire.statements.filter(sql => sql === "SELECT 1").length).toBeLessThanOrEqual(2);
  });

  it("refuses a signup with a plain message, and takes it afterwards", async () => {
    proxy.stall();
    const failure = await failureOf(gate.signUp(newPerson("patient")));
    expect(failure).toMatchObject({ code: "SERVICE_UNAVAILABLE", httpStatus: 503 });
    expect(failure.message).not.toMatch(/internal|prisma|connect/i);
    proxy.flow();
    await waitFor("the signup to work", async () =>
      gate.signUp(newPerson("patient")).then(
        () => true,
        // The first attempt may have reached the database.
        async error =>
          error.data?.code === "CONFLICT" && (await gate.count("users", "username_key = 'patient'")) === 1,
      ),
    );
  });

  it("recovers without a restart after a hang longer than the query timeout", async () => {
    proxy.stall();
    const given: string[] = [];
    const startedAt = performance.now();
    while (performance.now() - startedAt < 6_500) given.push((await gate.check(TAKEN[3]!)).status);
    expect(new Set(given)).toEqual(new Set(["busy"]));
    proxy.flow();
    await waitFor("an answer", async () => (await gate.check(TAKEN[3]!)).status === "taken");
    await waitFor("given up connections to be closed", () => proxy.openConnections <= POOL);
  });
});
