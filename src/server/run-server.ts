import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { hostname } from "node:os";
import type { Registry } from "prom-client";
import type { Services } from "../api/context";
import { createEngines } from "../filter/detect-engine";
import { PointerFollower } from "../filter/pointer";
import { FilterReader } from "../filter/reader";
import { noteReader } from "../filter/readers";
import { requestRedelivery } from "../outbox/backlog";
import { ConcurrencyLimiter } from "../runtime/concurrency-limiter";
import type { Logger } from "../runtime/logger";
import { startMetricsServer } from "../runtime/metrics-server";
import { runLoop } from "../runtime/run-loop";
import { closeSession, openSession, readSession } from "../services/access/sessions";
import { createStaffServices } from "../services/access/staff-services";
import { createFilterServices } from "../services/filter/filter-services";
import { createLabServices } from "../services/lab/lab-services";
import { createGateServices } from "../services/outbox/gate-services";
import { ReservedWords } from "../services/reserved-words/reserved-words";
import { checkUsername } from "../services/username/check-username";
import { UsernameConfirmer } from "../services/username/confirm-username";
import { type SignUpDeps, signUp, signUpSlots } from "../services/username/sign-up";
import { createNotifier } from "../store/listener";
import { createPool, createPrisma } from "../store/postgres";
import { createRedis } from "../store/redis";
import { createGateMetrics } from "../telemetry/gate-metrics";
import { exposeGateRates } from "../telemetry/gate-rates";
import type { Instruments } from "../telemetry/instruments";
import { createProducerMetrics } from "../telemetry/order-metrics";
import { readSeries } from "../telemetry/read-series";
import { createTelemetry } from "../telemetry/telemetry";
import type { ServerEnv } from "./env";
import { readHealth } from "./health";
import { createHttpServer } from "./http-server";
import { createRateLimits } from "./rate-limits";
import { createServerOrders } from "./server-orders";
import { createSignIn } from "./sign-in";

/** Readers follow a flip within a second; they look four times in one. */
const POINTER_EVERY_MS = 250;
/** How often a server says which version it follows. */
const NOTE_EVERY_MS = 500;
const RESERVED_EVERY_MS = 5_000;
/** Each is a page of the console that is open. */
const LIVE_STREAMS_EACH = 20;
const NOTIFY_DELAY_MS = 20;

/** Requests in hand get so long to end when the process stops. */
const DRAIN_MS = 5_000;

export type Pages = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

export type RunningServer = {
  server: Server;
  pointer: PointerFollower;
  filter: FilterReader;
  registry: Registry;
  stop(): Promise<void>;
};

/** Builds everything a server process needs and listens. Needs neither Redis nor Postgres to be up. */
export async function runServer(
  env: ServerEnv,
  { log, pages }: { log: Logger; pages: Pages },
): Promise<RunningServer> {
  const publicUrl = env.PUBLIC_URL ?? `http://localhost:${env.PORT}`;
  const instance = `${hostname()}:${process.pid}:${env.PORT}`;
  const warn = (what: string) => (err: unknown) => log.warn({ err }, what);

  const pool = createPool(
    {
      url: env.DATABASE_URL,
      applicationName: "floodgate server",
      maxConnections: env.DATABASE_POOL,
      connectTimeoutMs: 5_000,
      statementTimeoutMs: 5_000,
    },
    warn("a database connection broke"),
  );
  const prisma = createPrisma(pool);
  const redis = createRedis(
    { url: env.REDIS_URL, connectionName: "floodgate-server", commandTimeoutMs: 1_000 },
    warn("redis"),
  );

  const createMetrics = (instruments: Instruments) => ({
    ...createGateMetrics(instruments),
    orders: createProducerMetrics(instruments),
  });
  const telemetry = createTelemetry(createMetrics, {
    redis,
    kind: "server",
    off: env.TELEMETRY === "off",
    onOutage: warn("telemetry waits in memory for Redis"),
    onFull: warn("more names come up than are counted apart"),
  });
  const { metrics, registry } = telemetry;
  exposeGateRates(metrics, registry);
  const engines = createEngines(redis);
  const pointer = new PointerFollower(redis);
  const filter = new FilterReader(redis, engines, {
    pointer,
    deadlineMs: env.FILTER_TIMEOUT_MS,
  });
  const reserved = new ReservedWords(prisma);
  const gate: SignUpDeps = {
    reserved,
    filter,
    metrics,
    confirmer: new UsernameConfirmer(prisma, {
      concurrency: Math.min(env.CONFIRM_CONCURRENCY, env.DATABASE_POOL),
      queue: env.CONFIRM_QUEUE,
      deadlineMs: env.CONFIRM_DEADLINE_MS,
    }),
    prisma,
    slots: signUpSlots(env.DATABASE_POOL),
    notifyRelay: createNotifier(pool, NOTIFY_DELAY_MS, warn("the relay could not be hinted; it polls")),
    requestRedelivery: key => requestRedelivery(pool, key),
  };
  const staff = createStaffServices(prisma, warn("a refused try could not be written into the audit log"));
  const signIn = createSignIn(env, { prisma, redis, staff, log, publicUrl });
  const auth = () => signIn.inUse().auth;
  const orders = createServerOrders(env, { pool, prisma, redis, metrics: metrics.orders, log });
  const health = () => readHealth({ pool, reader: filter, pointer });
  const services: Services = {
    checkUsername: username => checkUsername(gate, username),
    signUp: input => signUp(gate, input),
    openSession: (userId, head) => openSession(auth(), userId, head),
    readSession: head => readSession(auth(), head),
    closeSession: head => closeSession(auth(), head),
    staff,
    gate: createGateServices({ pool, prisma, engines, reserved }),
    filter: createFilterServices({
      ...{ pool, prisma, redis, engines },
      approvals: env.FILTER_APPROVALS,
      bakeMinutes: env.FILTER_BAKE_MINUTES,
    }),
    orders: orders.services,
    lab: createLabServices(prisma),
    health,
    liveStreams: new ConcurrencyLimiter(LIVE_STREAMS_EACH),
    environment: env.ENVIRONMENT_NAME,
    singleSignOn: () => (signIn.inUse().hasOidc ? env.OIDC_NAME : null),
    readSeries: query => readSeries(redis, query),
  };

  const loops = [
    runLoop({
      name: "pointer",
      everyMs: POINTER_EVERY_MS,
      maxBackoffMs: POINTER_EVERY_MS,
      step: async () => {
        await pointer.refresh();
        return "idle";
      },
      onError: err => log.debug({ err }, "the filter pointer could not be read; the last one stays"),
    }),
    runLoop({
      name: "reader",
      everyMs: NOTE_EVERY_MS,
      step: async () => {
        await noteReader(redis, instance, pointer);
        return "idle";
      },
      onError: err => log.debug({ err }, "which version is followed could not be said"),
    }),
    runLoop({
      name: "reserved words",
      everyMs: RESERVED_EVERY_MS,
      step: async () => {
        await reserved.refresh();
        return "idle";
      },
      onError: warn("the reserved words could not be read; the last ones stay"),
    }),
  ];

  const server = createHttpServer({
    services,
    limits: createRateLimits(redis, {
      checksPerMinute: env.CHECKS_PER_MINUTE,
      signUpsPerTenMinutes: env.SIGNUPS_PER_TEN_MINUTES,
    }),
    log,
    trustedProxyHops: env.TRUSTED_PROXY_HOPS,
    publicUrl,
    signIn: signIn.inUse,
    health,
    pages,
  });
  const metricsServer = env.METRICS_PORT
    ? startMetricsServer(env.METRICS_PORT, { registry, health, log })
    : null;
  telemetry.start();

  const stop = async () => {
    const closed = new Promise(resolve => server.close(resolve));
    server.closeIdleConnections();
    await Promise.race([closed, new Promise(resolve => setTimeout(resolve, DRAIN_MS))]);
    server.closeAllConnections();
    metricsServer?.close();
    await orders.stop();
    await Promise.all([...loops, signIn].map(loop => loop.stop()));
    await telemetry.stop();
    await prisma.$disconnect();
    await pool.end();
    redis.disconnect();
  };

  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(env.PORT, env.HOST, resolve);
    });
  } catch (error) {
    await stop();
    throw error;
  }
  log.info({ url: publicUrl }, "listening");
  return { server, pointer, filter, registry, stop };
}
