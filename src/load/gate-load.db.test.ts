import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../runtime/ports";
import type { SeriesId } from "../telemetry/series";
import { failureOf, LONG_DEADLINES, nextAddress, TestGate, type TestServer } from "../testing/server-gate";
import { postJson, rawRequest } from "../testing/server-raw-http";
import { cookieFrom, insertUser, PASSWORD } from "../testing/staff";
import { apiClient, metricOf, startTestServer } from "../testing/test-gate";
import { waitFor } from "../testing/wait-for";
import { WorkerProcess } from "../testing/worker-process";
import { type GateLoadReport, runGateLoad, total } from "./gate-load";
import { readGateOptions } from "./options";

let gate: TestGate;
let second: TestServer;
let relay: WorkerProcess;
let relayMetricsPort: number;
/** Of a viewer, who may see the dashboard. */
let cookie: string;

beforeAll(async () => {
  gate = await TestGate.start({ server: LONG_DEADLINES });
  await gate.stopRelay();
  second = await startTestServer(gate.urls, LONG_DEADLINES);
  relayMetricsPort = await freePort();
  relay = new WorkerProcess("relay", {
    DATABASE_URL: gate.urls.databaseUrl,
    REDIS_URL: gate.urls.redisUrl,
    METRICS_PORT: `${relayMetricsPort}`,
  });
  await insertUser(gate.database.prisma, "viewer", "watcher");
  const credentials = { username: "watcher", password: PASSWORD };
  cookie = cookieFrom(
    await postJson(`${gate.server.url}/api/auth/sign-in/username`, credentials, {
      "x-forwarded-for": nextAddress(),
    }),
  );
});

const dashboard = () => apiClient(gate.server.url, { address: nextAddress(), cookie });

afterAll(async () => {
  await relay.end("SIGTERM");
  await second.stop();
  await gate.stop();
});

const load = (url: string, ...more: string[]) =>
  runGateLoad(readGateOptions(["--url", url, ...more]), new AbortController().signal);

const series = (ids: SeriesId[], from: number, to: number) =>
  dashboard().telemetry.series.query({
    series: ids,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
  });

describe("two servers, a relay process, and load on both", () => {
  it("the dashboard's sums are the load's own within 2 %", async () => {
    const from = Date.now() - 2_000;
    await waitFor("the relay to be well", async () => {
      const health = await rawRequest(`http://127.0.0.1:${relayMetricsPort}/readyz`).catch(() => null);
      return (health?.json as { status?: string } | undefined)?.status === "ok";
    });
    const args = ["--rate", "60", "--signups", "8", "--seconds", "6", "--clients", "1000"];
    const reports = await Promise.all([load(gate.server.url, ...args), load(second.url, ...args)]);
    const to = Date.now() + 1_000;
    const sum = (read: (report: GateLoadReport) => number) => reports.reduce((a, b) => a + read(b), 0);
    expect(sum(({ refused, failed, notSent }) => refused + failed + notSent)).toBe(0);
    const sent = {
      checks: sum(({ checks }) => total(checks)),
      created: sum(({ signups }) => signups.created ?? 0),
    };
    expect(sent).toEqual({ checks: 720, created: 96 });
    await gate.delivered();

    const ids: SeriesId[] = ["checks_per_s", "signups_per_s", "relay_delivered_per_s"];
    const sums = async () => {
      const { stepMs, values } = await series(ids, from, to + 3_000);
      return ids.map(id =>
        values[id].reduce<number>((all, value) => all + ((value ?? 0) * stepMs) / 1_000, 0),
      );
    };
    await waitFor("the last second to be flushed", async () => {
      const [checks, signups, delivered] = await sums();
      return checks! >= sent.checks && signups! >= sent.created && delivered! >= sent.created;
    });
    const [checks, signups, delivered] = await sums();
    console.log({ sent, seen: { checks, signups, delivered } });
    expect(Math.abs(checks! - sent.checks) / sent.checks).toBeLessThan(0.02);
    expect(Math.abs(signups! - sent.created) / sent.created).toBeLessThan(0.02);
    expect(Math.abs(delivered! - sent.created) / sent.created).toBeLessThan(0.02);

    const { values } = await series(["signup_p95_ms", "outbox_backlog", "outbox_lag_seconds"], from, to);
    expect(values.signup_p95_ms.some(ms => ms !== null && ms > 1)).toBe(true);
    expect(values.outbox_backlog.some(events => events !== null)).toBe(true);
    expect(values.outbox_lag_seconds.some(seconds => seconds !== null)).toBe(true);
  });

  it("the relay's port reports its health and the same metrics", async () => {
    const metrics = async () => (await rawRequest(`http://127.0.0.1:${relayMetricsPort}/metrics`)).text;
    // Measured once a second.
    await waitFor("the backlog to be seen empty", async () => /^outbox_backlog 0$/m.test(await metrics()));
    const text = await metrics();
    // 96 of the load, and the viewer who watches.
    expect(text).toMatch(/^relay_events_total\{outcome="delivered"\} 97$/m);
    const health = await rawRequest(`http://127.0.0.1:${relayMetricsPort}/healthz`);
    expect(health.json).toEqual({ status: "ok", problems: [] });
  });
});

describe("load past a quota", () => {
  it("ends at once and counts what was refused", async () => {
    const report = await load(gate.server.url, "--rate", "400", "--signups", "0", "--seconds", "30");
    expect(report.refused).toBeGreaterThan(0);
    expect(report.seconds).toBeLessThan(10);
    expect(total(report.checks)).toBe(60);
    expect(await metricOf(gate.server.registry, "username_checks_total")).toBeGreaterThanOrEqual(60);
  });
});

describe("telemetry.series", () => {
  const now = Date.now();
  it.each([
    ["reversed", now, now - 60_000],
    ["a year", now - 365 * 86_400_000, now],
    ["in the future", now + 3_600_000, now + 7_200_000],
  ])("a range that is %s is refused in words", async (_, from, to) => {
    const failure = await failureOf(series(["checks_per_s"], from, to));
    expect(failure).toMatchObject({ code: "BAD_REQUEST", message: expect.stringMatching(/time range/) });
  });

  it.each([
    [{ series: [] }],
    [{ series: ["no_such"] }],
    [{ from: "yesterday" }],
    [{ to: "2026-13-01T00:00:00Z" }],
    [{ series: new Array(100).fill("checks_per_s") }],
  ])("%j is refused", async wrong => {
    const right = {
      series: ["checks_per_s" as const],
      from: new Date(now - 60_000).toISOString(),
      to: new Date(now).toISOString(),
    };
    const failure = await failureOf(dashboard().telemetry.series.query({ ...right, ...wrong } as never));
    expect(failure.code).toBe("BAD_REQUEST");
  });
});
