import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { z } from "zod";
import { checkNames } from "../process/check-names";
import { supervisorEnv } from "../process/supervisor-env";
import { publishDatabaseUrl } from "../runtime/database-url";
import { type DataFolder, openDataFolder } from "../runtime/embedded/data-folder";
import { loadSecrets } from "../runtime/embedded/secrets";
import { type Embedded, startEmbedded } from "../runtime/embedded/start-embedded";
import { requireMetricsAddress } from "../runtime/metrics-address";
import { requireFreePort } from "../runtime/ports";
import { readEnv } from "../runtime/read-env";
import { takeRunLock } from "../runtime/run-lock";
import { onShutdown } from "../runtime/shutdown";
import { LogFile } from "../runtime/supervise/child-log";
import { keepChild } from "../runtime/supervise/keep-child";
import { spawnNode } from "../runtime/supervise/node-child";
import { onOrphaned } from "../runtime/supervise/on-orphaned";
import { ProcessStates } from "../runtime/supervise/process-states";
import { type FirstAdmin, runMigration } from "../runtime/supervise/run-migration";
import { runToEnd } from "../runtime/supervise/run-to-end";
import { SERVER_NODE_FLAGS } from "../runtime/supervise/server-flags";
import { isStale } from "../runtime/supervise/stale-build";
import { Steps } from "../runtime/supervise/steps";
import { waitForHealth } from "../runtime/supervise/wait-for-health";
import { watchSources } from "../runtime/supervise/watch-sources";

/** The main of `npm start` and `npm run dev`: everything Floodgate needs, under one process. */
type Script = {
  name: string;
  built: string;
  source: string;
  devArgs?: string[];
  nodeFlags?: string[];
  metricsOffset?: number;
  /** Nothing works without it: when it ends again and again, the product ends. */
  isVital?: boolean;
};

const MIGRATE: Script = { name: "migrate", built: "dist/migrate.js", source: "src/workers/migrate.ts" };
const CHILDREN: Script[] = [
  {
    name: "server",
    built: "dist/server.js",
    source: "src/server/main.ts",
    devArgs: ["--dev"],
    nodeFlags: SERVER_NODE_FLAGS,
    isVital: true,
  },
  { name: "relay", built: "dist/relay.js", source: "src/workers/relay.ts", metricsOffset: 1 },
  { name: "filter", built: "dist/filter.js", source: "src/workers/filter.ts", metricsOffset: 2 },
  {
    name: "aggregator",
    built: "dist/aggregator.js",
    source: "src/workers/aggregator.ts",
    metricsOffset: 3,
  },
  { name: "engine", built: "dist/engine.js", source: "src/workers/engine.ts", metricsOffset: 4 },
  { name: "lab", built: "dist/lab.js", source: "src/workers/lab.ts", metricsOffset: 5 },
];
/** What `npm run generate` makes: the database client and the filter's build kernel. */
const GENERATED = [
  { output: "src/store/generated", input: "prisma/schema.prisma" },
  { output: "src/filter/build/kernel.wasm", input: "src/filter/build/kernel" },
];
const BUILD = {
  outputs: [
    ".next/BUILD_ID",
    "dist/build-reader.js",
    "dist/kernel.wasm",
    "dist/lua/keyed.lua",
    MIGRATE.built,
    ...CHILDREN.map(script => script.built),
  ],
  inputs: ["src", "prisma", "package-lock.json", "next.config.mjs"],
};
/** Besides the time in which the server drains. */
const STOP_WAIT_MS = 10_000;
const HEALTH_TIMEOUT_MS = 90_000;
/** Children, Redis and Postgres one after the other, each with its own shorter limit. */
const SHUTDOWN_TIMEOUT_MS = 60_000;
const REDIS = "Redis";
/** What every process repeats while Redis is down, which one line has said already. */
const OF_REDIS = /redis|Stream isn't writeable|max retries per request/i;
/** The error itself is shown instead. */
const FAILED_START = "it could not start";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const dev = process.argv.includes("--dev");
const stopping = new AbortController();
const states = new ProcessStates();
const steps = new Steps(text => process.stdout.write(text));
/** What has to be undone at the end, in the order it was done. */
const undo: (() => unknown)[] = [];

type Start = {
  env: z.output<typeof supervisorEnv>;
  folder: DataFolder;
  childEnv: NodeJS.ProcessEnv;
};

async function start(): Promise<void> {
  const { signal } = stopping;
  checkNames(process.env);
  const env = readEnv(supervisorEnv, process.env);
  const url = env.PUBLIC_URL ?? `http://localhost:${env.PORT}`;
  const folder = openDataFolder(resolve(root, env.FLOODGATE_DATA_DIR ?? ".data"));
  undo.push(await takeRunLock(folder.runLock, url));
  await requireFreePort(env.PORT, env.HOST);
  await requireMetricsPorts(env);
  say("\nStarting Floodgate\n");

  const embedded = await startServices(env, folder);
  const childEnv: NodeJS.ProcessEnv = {
    ...process.env,
    NODE_ENV: dev ? "development" : "production",
    DATABASE_URL: env.DATABASE_URL ?? embedded.databaseUrl,
    REDIS_URL: env.REDIS_URL ?? embedded.redisUrl,
    // The sellers of `npm run load -- orders`; a database of one's own has none.
    ENGINE_CREDIT_ACCOUNTS: process.env.ENGINE_CREDIT_ACCOUNTS ?? (env.DATABASE_URL ? "" : "market-maker*"),
    AUTH_SECRET: env.AUTH_SECRET ?? loadSecrets(folder.secrets).authSecret,
    PORT: String(env.PORT),
    HOST: env.HOST,
    PUBLIC_URL: url,
    SHUTDOWN_DRAIN_MS: String(env.SHUTDOWN_DRAIN_MS),
  };
  undo.push(publishDatabaseUrl(folder.databaseUrl, childEnv.DATABASE_URL!));
  await buildIfNeeded(folder);
  const migrateLog = new LogFile(folder.freshLog("migrate"));
  const firstAdmin = await steps.run("Database schema", () =>
    runMigration(nodeArgs(MIGRATE), {
      cwd: root,
      env: childEnv,
      signal,
      onOutput: text => migrateLog.append(text.trimEnd()),
    }),
  );
  await steps.run("Server and workers", async () => {
    startChildren({ env, folder, childEnv });
    await waitForHealth(healthUrl(env), HEALTH_TIMEOUT_MS, signal);
  });
  say(startedText(url, folder.root, firstAdmin));
}

function startServices(env: Start["env"], folder: DataFolder): Promise<Embedded> {
  const needPostgres = env.DATABASE_URL === undefined;
  const needRedis = env.REDIS_URL === undefined;
  const work = async () => {
    const embedded = await startEmbedded({
      dataDir: folder.root,
      needPostgres,
      needRedis,
      log: line => say(line.replaceAll(/^/gm, "    ")),
      onFailure: reason => shutDown(reason, 1),
      onRedisChange: reason => states.set(REDIS, reason),
      signal: stopping.signal,
    });
    undo.push(embedded.stop);
    if (needRedis && !states.isDown(REDIS)) states.set(REDIS, null);
    return embedded;
  };
  return needPostgres || needRedis ? steps.run("Postgres and Redis", work) : work();
}

async function buildIfNeeded(folder: DataFolder): Promise<void> {
  const generatedIsStale = GENERATED.some(({ output, input }) => isStale(root, [output], [input]));
  if (!generatedIsStale && (dev || !isStale(root, BUILD.outputs, BUILD.inputs))) return;
  const log = new LogFile(folder.freshLog("build"));
  const title = dev ? "Generated code" : "Build (about a minute, after a change of the sources)";
  await steps.run(title, () =>
    runToEnd("npm", ["run", dev ? "generate" : "build"], {
      cwd: root,
      env: { ...process.env, NODE_ENV: "production" },
      signal: stopping.signal,
      quiet: true,
      onOutput: text => log.append(text.trimEnd()),
    }),
  );
}

function startChildren({ env, folder, childEnv }: Start): void {
  const isText = env.LOG_FORMAT === "text";
  const stopSteps = [{ signal: "SIGTERM" as const, waitMs: STOP_WAIT_MS + env.SHUTDOWN_DRAIN_MS }];
  const children = CHILDREN.map(script => {
    const { name, isVital = false } = script;
    const output = isText ? "pipe" : "inherit";
    return keepChild(
      {
        name,
        start: () => spawnNode(nodeArgs(script), { cwd: root, env: metricsPort(script, childEnv), output }),
        file: isText ? new LogFile(folder.freshLog(name)) : null,
        onGiveUp: isVital ? endOrWait : undefined,
        readsStates: isVital,
      },
      { states, say, stopSteps, isKnown: line => OF_REDIS.test(line) && states.isDown(REDIS) },
    );
  });
  undo.push(() => Promise.all(children.map(child => child.stop())));
  if (!dev) return;
  const stopWatching = watchSources(resolve(root, "src"), file => {
    say(`src/${file} changed: restarting`);
    for (const child of children) void child.restart();
  });
  undo.push(stopWatching);
}

function endOrWait(reason: string): void {
  if (dev) say(`${reason}; waiting for a change in src`);
  else shutDown(reason, 1);
}

function healthUrl({ HOST, PORT }: Start["env"]): string {
  const address = HOST === "0.0.0.0" || HOST === "::" ? "127.0.0.1" : HOST;
  return `http://${address.includes(":") ? `[${address}]` : address}:${PORT}/healthz`;
}

/** The password comes last, so that it is visible in the terminal. */
function startedText(url: string, dataRoot: string, firstAdmin: FirstAdmin | null): string {
  const text = `
  Floodgate is running

    sign-up   ${url}
    console   ${url}/console
    data      ${dataRoot}
    logs      ${dataRoot}/logs
${states.down.map(({ name, downReason }) => `\n  ${name} is down: ${downReason}.\n`).join("")}
  Ctrl-C stops everything.
`;
  if (!firstAdmin) return text;
  return `${text}
  The first administrator, shown once and stored as a hash:

    username  ${firstAdmin.username}
    password  ${firstAdmin.password}
`;
}

/** Each process would find out for itself, and be started again and again. */
async function requireMetricsPorts({ METRICS_PORT: port, METRICS_HOST: host }: Start["env"]): Promise<void> {
  if (port === undefined) return;
  for (const { name, metricsOffset = 0 } of CHILDREN)
    await requireMetricsAddress({ name, port: port + metricsOffset, host });
}

/** Processes that share an environment cannot share a port. */
function metricsPort({ metricsOffset = 0 }: Script, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return env.METRICS_PORT ? { ...env, METRICS_PORT: String(Number(env.METRICS_PORT) + metricsOffset) } : env;
}

function nodeArgs({ built, source, devArgs = [], nodeFlags = [] }: Script): string[] {
  return dev ? ["--import", "tsx", source, ...devArgs] : [...nodeFlags, built];
}

function say(line: string): void {
  steps.say(line);
}

// A closed terminal or pipe must not keep us from stopping the servers.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

const shutDown = onShutdown(
  async reason => {
    if (reason !== FAILED_START) say(`Stopping Floodgate: ${reason}`);
    stopping.abort();
    await started;
    const failures: unknown[] = [];
    for (const step of undo.reverse()) {
      await Promise.resolve()
        .then(step)
        .catch(error => failures.push(error));
    }
    if (failures.length > 0) throw new AggregateError(failures, "Not everything could be stopped");
  },
  {
    timeoutMs: SHUTDOWN_TIMEOUT_MS,
    logger: { info: () => {}, error: (details, text) => console.error(text, details) },
  },
);
// Started by hand with `&`, it may outlive its shell; under npm it ends with npm.
if (process.env.npm_lifecycle_event !== undefined) onOrphaned(() => shutDown("npm is gone"));

const started = start().catch((error: unknown) => {
  if (stopping.signal.aborted) return;
  console.error(error instanceof Error ? error.message : error);
  shutDown(FAILED_START, 1);
});
