import { createTRPCClient, httpBatchLink, httpLink } from "@trpc/client";
import type { Registry } from "prom-client";
import type { AppRouter } from "../api/router";
import { type FilterEnv, filterEnv } from "../process/filter-env";
import { type RelayEnv, relayEnv } from "../process/relay-env";
import { type ServerEnv, serverEnv } from "../process/server-env";
import { freePort } from "../runtime/ports";
import { type RunningServer, runServer } from "../server/run-server";
import { runFilter } from "../workers/run-filter";
import { runRelay } from "../workers/run-relay";
import { quietLog } from "./quiet-log";
import { waitFor } from "./wait-for";

export type Urls = { databaseUrl: string; redisUrl: string };

/** A relay with the wiring of its main, in the test's process. */
export function startTestRelay({ databaseUrl, redisUrl }: Urls, overrides: Partial<RelayEnv> = {}) {
  const env = relayEnv.parse({ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl });
  return runRelay({ ...env, RELAY_POLL_MS: 50, ...overrides }, quietLog("relay"));
}

/** A filter worker with the wiring of its main, in the test's process. */
export function startTestFilter({ databaseUrl, redisUrl }: Urls, overrides: Partial<FilterEnv> = {}) {
  const env = filterEnv.parse({ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl });
  return runFilter(
    { ...env, FILTER_CAPACITY: 50_000, FILTER_TICK_MS: 100, ...overrides },
    quietLog("filter"),
  );
}

/** A relay and a filter worker. */
export function startTestWorkers(
  urls: Urls,
  overrides: { relay?: Partial<RelayEnv>; filter?: Partial<FilterEnv> } = {},
) {
  const workers = [startTestRelay(urls, overrides.relay), startTestFilter(urls, overrides.filter)];
  return { stop: async () => void (await Promise.all(workers.map(worker => worker.stop()))) };
}

/**
 * A server with the wiring of its main, without pages, on a free port. With one trusted proxy hop, a
 * test sets the address of each client by X-Forwarded-For.
 */
export async function startTestServer({ databaseUrl, redisUrl }: Urls, overrides: Partial<ServerEnv> = {}) {
  const port = await freePort();
  const env = serverEnv.parse({
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    AUTH_SECRET: "a secret that only the tests of this repository use",
    PORT: port,
    TRUSTED_PROXY_HOPS: 1,
    SHUTDOWN_DRAIN_MS: 0,
  });
  const running = await runServer(
    { ...env, ...overrides },
    { log: quietLog("server"), pages: async (_, res) => void res.writeHead(404).end("no pages in tests") },
  );
  return { ...running, url: `http://127.0.0.1:${port}` };
}

/** A tRPC client with one address. */
export function apiClient(url: string, options: { address?: string; batch?: boolean; cookie?: string } = {}) {
  const { address = "198.51.100.1", batch = true, cookie } = options;
  const link = batch ? httpBatchLink : httpLink;
  const headers = { "x-forwarded-for": address, ...(cookie ? { cookie } : {}) };
  return createTRPCClient<AppRouter>({ links: [link({ url: `${url}/api/trpc`, headers })] });
}

/** Waits until the server follows a pointer, so until the filter worker has built a version. */
export async function waitForFilter(server: Pick<RunningServer, "pointer">): Promise<void> {
  await waitFor("the server to follow a version", () => server.pointer.current !== null);
}

/** The value of a counter, summed over the label sets that contain `labels`. */
export async function metricOf(
  registry: Registry,
  name: string,
  labels: Record<string, string> = {},
): Promise<number> {
  const metric = await registry.getSingleMetric(name)?.get();
  const matching = (metric?.values ?? []).filter(value =>
    Object.entries(labels).every(([label, wanted]) => value.labels[label] === wanted),
  );
  return matching.reduce((sum, value) => sum + value.value, 0);
}
