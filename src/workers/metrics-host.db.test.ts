import { once } from "node:events";
import { createServer, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { filterEnv } from "../process/filter-env";
import { aggregatorEnv, engineEnv, labEnv } from "../process/order-env";
import { relayEnv } from "../process/relay-env";
import { freePort } from "../runtime/ports";
import { OrderFixture } from "../testing/order-fixture";
import { quietLog } from "../testing/quiet-log";
import { startTestServer } from "../testing/test-gate";
import { waitFor } from "../testing/wait-for";
import { WorkerProcess } from "../testing/worker-process";
import { runAggregator } from "./run-aggregator";
import { runEngine } from "./run-engine";
import { runFilter } from "./run-filter";
import { runLab } from "./run-lab";
import { runRelay } from "./run-relay";

type Listen = { METRICS_PORT: number; METRICS_HOST?: string };
type Running = { stop(): Promise<void>; done: Promise<void> };

let fixture: OrderFixture;

beforeAll(async () => {
  fixture = await OrderFixture.start({ shards: 1 });
});
afterAll(() => fixture.stop());

const settings = (listen: Listen) => ({ ...fixture.env, ...listen });
const WORKERS: Record<string, (listen: Listen) => Running> = {
  relay: listen => runRelay(relayEnv.parse(settings(listen)), quietLog("relay")),
  filter: listen =>
    runFilter(filterEnv.parse({ ...settings(listen), FILTER_CAPACITY: 50_000 }), quietLog("filter")),
  aggregator: listen => runAggregator(aggregatorEnv.parse(settings(listen)), quietLog("aggregator")),
  engine: listen => runEngine(engineEnv.parse(settings(listen)), quietLog("engine")),
  lab: listen => runLab(labEnv.parse(settings(listen)), quietLog("lab")),
};
const PROCESSES: Record<string, (listen: Listen) => Running | Promise<Running>> = {
  ...WORKERS,
  server: listen =>
    startTestServer({ databaseUrl: fixture.env.DATABASE_URL, redisUrl: fixture.env.REDIS_URL }, listen),
};
const NAMES = Object.keys(PROCESSES);

const addresses = Object.values(networkInterfaces()).flatMap(list => list ?? []);
const outside = addresses.find(({ family, internal }) => family === "IPv4" && !internal)?.address;
const hasIPv6 = addresses.some(({ address }) => address === "::1");

/** Starts the process for one test; resolves to the address of a path on the host. */
async function start(name: string, METRICS_HOST?: string) {
  const port = await freePort();
  const listen: Listen = { METRICS_PORT: port };
  if (METRICS_HOST !== undefined) listen.METRICS_HOST = METRICS_HOST;
  const running = await PROCESSES[name]!(listen);
  onTestFinished(() => running.stop());
  return (host: string, path: string) =>
    fetch(`http://${isIPv6(host) ? `[${host}]` : host}:${port}${path}`, {
      signal: AbortSignal.timeout(10_000),
    });
}
type Get = Awaited<ReturnType<typeof start>>;

async function expectAllAnswers(get: Get, host: string): Promise<void> {
  await waitFor(
    "the process to be ready",
    async () => (await get(host, "/readyz").catch(() => null))?.status === 200,
  );
  const health = await get(host, "/healthz");
  expect(await health.json()).toMatchObject({ status: expect.stringMatching(/^(ok|degraded)$/) });
  const metrics = await get(host, "/metrics");
  expect(metrics.headers.get("content-type")).toContain("text/plain");
  expect(await metrics.text()).toContain("# TYPE ");
}

describe("metrics, health and readiness", () => {
  it.skipIf(!outside).each(NAMES)("of %s are reached from outside with 0.0.0.0", async name => {
    const get = await start(name, "0.0.0.0");
    await expectAllAnswers(get, outside!);
    await expectAllAnswers(get, "127.0.0.1");
  });

  it.skipIf(!hasIPv6).each(NAMES)("of %s are served on ::1", async name => {
    const get = await start(name, "::1");
    await expectAllAnswers(get, "::1");
    await expect(get("127.0.0.1", "/readyz")).rejects.toThrow("fetch failed");
  });

  it.skipIf(!outside).each(NAMES)("of %s are served to this machine alone by default", async name => {
    const get = await start(name);
    await expectAllAnswers(get, "127.0.0.1");
    await expect(get(outside!, "/readyz")).rejects.toThrow("fetch failed");
  });
});

describe("an address that can't be listened on", () => {
  it.each(Object.keys(WORKERS))("ends %s with what to do", async name => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as { port: number };
    const running = WORKERS[name]!({ METRICS_PORT: port });
    onTestFinished(() => running.stop());
    await expect(running.done).rejects.toThrow(
      "METRICS_PORT is in use. Stop the process that uses it, or set",
    );
  });

  it("ends the process with exit code 1 and the same words", async () => {
    const listen = { METRICS_PORT: String(await freePort()), METRICS_HOST: "203.0.113.1" };
    const lab = new WorkerProcess("lab", { ...fixture.env, ...listen, LOG_LEVEL: "error" });
    onTestFinished(async () => void (await lab.end("SIGKILL")));
    await waitFor("the end", () => !lab.isRunning);
    expect(await lab.end("SIGTERM")).toBe(1);
    expect(lab.output).toContain("METRICS_HOST is not an address of this machine. Set METRICS_HOST to");
  });
});
