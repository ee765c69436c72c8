import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { hostname } from "node:os";
import type { Registry } from "prom-client";
import { createEngines } from "../filter/detect-engine";
import { PointerFollower } from "../filter/pointer";
import { FilterReader } from "../filter/reader";
import { noteReader } from "../filter/readers";
import { requestRedelivery } from "../outbox/backlog";
import { OutboxLag } from "../outbox/outbox-lag";
import { ProcessParts, type RunningProcess } from "../process/process-parts";
import { watchReplicationSlots } from "../process/replication-slot-watch";
import type { ServerEnv } from "../process/server-env";
import { ConcurrencyLimiter } from "../runtime/concurrency-limiter";
import type { Logger } from "../runtime/logger";
import type { Auth } from "../services/access/auth";
import { closeSession, openSession, type RequestHead, readSession } from "../services/access/sessions";
import { TokenReader } from "../services/access/token-reader";
import { RefusalLog } from "../services/audit/record-refusal";
import { createFilterServices } from "../services/filter/filter-services";
import { createLabServices } from "../services/lab/lab-services";
import { createGateServices } from "../services/outbox/gate-services";
import { ReservedWords } from "../services/reserved-words/reserved-words";
import { checkUsername } from "../services/username/check-username";
import { UsernameConfirmer } from "../services/username/confirm-username";
import { type SignUpDeps, signUp, signUpSlots } from "../services/username/sign-up";
import { createNotifier } from "../store/listener";
import type { PrismaClient } from "../store/postgres";
import { createGateMetrics, type GateMetrics } from "../telemetry/gate-metrics";
import { exposeGateRates } from "../telemetry/gate-rates";
import type { Instruments } from "../telemetry/instruments";
import { createProducerMetrics } from "../telemetry/order-metrics";
import { readSeries } from "../telemetry/read-series";
import { Drain } from "./drain";
import { readHealth } from "./health";
import { createHttpServer } from "./http-server";
import { OrderHealthWatch, readOrderFigures } from "./order-health";
import { PageAssets, type PageBuild } from "./page-assets";
import { createRateLimits } from "./rate-limits";
import { createServerOrders } from "./server-orders";
import { createSignIn } from "./sign-in";
import { SupervisedProcesses } from "./supervised-processes";

/** Readers follow a new pointer within a second. */
const POINTER_EVERY_MS = 500;
/** How often a server reports the version that it follows. */
const NOTE_EVERY_MS = 1_000;
const RESERVED_EVERY_MS = 5_000;
const ORDER_HEALTH_EVERY_MS = 2_000;
/** Each open page of the console holds one. */
const LIVE_STREAMS_EACH = 20;
const NOTIFY_DELAY_MS = 20;
const UNKNOWN_TOKENS_PER_MINUTE = 300;
/** Much shorter than the day for which they are kept. */
const ASSETS_EVERY_MS = 10 * 60_000;

export type Pages = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

export type RunningServer = RunningProcess & {
  server: Server;
  pointer: PointerFollower;
  filter: FilterReader;
  registry: Registry;
};

export type ServerOptions = {
  log: Logger;
  pages: Pages;
  /** Of the pages; null in development and in tests. */
  build?: PageBuild | null;
  processes?: SupervisedProcesses;
};

/** Builds everything a server process needs and listens. Needs neither Redis nor Postgres to be up. */
export async function runServer(
  env: ServerEnv,
  { log, pages, build = null, processes = new SupervisedProcesses(null) }: ServerOptions,
): Promise<RunningServer> {
  const parts = new ProcessParts({
    name: "server",
    env,
    log,
    database: { maxConnections: env.DATABASE_POOL, statementTimeoutMs: 5_000 },
    redisTimeoutMs: 1_000,
  });
  const { metrics, registry } = parts.telemetry(createServerMetrics, { off: env.TELEMETRY === "off" });
  exposeGateRates(metrics, registry);
  const engines = createEngines(parts.redis);
  const pointer = new PointerFollower(parts.redis);
  const filter = new FilterReader(parts.redis, engines, { pointer, deadlineMs: env.FILTER_TIMEOUT_MS });
  const outboxLag = new OutboxLag(parts.pool, env.FILTER_MAX_LAG_MS);
  const orderHealth = watchOrders(parts, env);
  const slots = watchReplicationSlots(parts, { maxMb: env.WAL_HELD_MAX_MB, registry });
  const health = () =>
    readHealth({
      pool: parts.pool,
      databaseTroubles: parts.databaseTroubles,
      owner: parts.guard,
      redis: parts.redis,
      reader: filter,
      pointer,
      outboxLag,
      slots,
      processes,
      orders: orderHealth,
    });
  const drain = new Drain();
  const readiness = () => drain.readiness(health());
  parts.serveMetrics(registry, readiness);

  const prisma = parts.prisma();
  const reserved = new ReservedWords(prisma);
  const refusals = new RefusalLog(prisma, parts.warn("refused attempt not written to the audit log"));
  const publicUrl = env.PUBLIC_URL ?? `http://localhost:${env.PORT}`;
  const signIn = createSignIn(env, { prisma, redis: parts.redis, refusals, log, publicUrl });
  parts.onStop(() => signIn.stop());
  const { orders, shards } = createServerOrders(env, { parts, prisma, metrics: metrics.orders });
  startFollowing(parts, {
    pointer,
    outboxLag,
    reserved,
    instance: `${hostname()}:${process.pid}:${env.PORT}`,
  });

  const tokens = new TokenReader(prisma, { unknownPerMinute: UNKNOWN_TOKENS_PER_MINUTE });
  const gate = createGate(env, { parts, prisma, reserved, filter, outboxLag, metrics });
  const server = createHttpServer({
    services: {
      ...createAccountServices(gate, () => signIn.inUse().auth),
      readToken: tokens.read.bind(tokens),
      prisma,
      refusals,
      gate: createGateServices({ pool: parts.pool, prisma, engines, reserved, slots: () => slots.current }),
      filter: createFilterServices({
        pool: parts.pool,
        prisma,
        redis: parts.redis,
        engines,
        approvals: env.FILTER_APPROVALS,
        bakeMinutes: env.FILTER_BAKE_MINUTES,
      }),
      orders,
      shards,
      lab: createLabServices(prisma),
      health,
      noteDatabaseTrouble: error => parts.databaseTroubles.requestFailed(error),
      liveStreams: new ConcurrencyLimiter(LIVE_STREAMS_EACH),
      streamsSignal: drain.streamsSignal,
      build: build?.id ?? "",
      environment: env.ENVIRONMENT_NAME,
      singleSignOn: () => (signIn.inUse().hasOidc ? env.OIDC_NAME : null),
      readSeries: query => readSeries(parts.redis, query),
    },
    limits: createRateLimits(parts.redis, {
      checksPerMinute: env.CHECKS_PER_MINUTE,
      signUpsPerTenMinutes: env.SIGNUPS_PER_TEN_MINUTES,
    }),
    log,
    trustedProxyHops: env.TRUSTED_PROXY_HOPS,
    publicUrl,
    signIn: signIn.inUse,
    readiness,
    drain,
    build,
    assets: build && keepAssets(parts, build),
    pages,
  });
  await listen(server, { env, parts, drain });
  log.info({ url: publicUrl }, "server listening");
  return { ...parts.running(), server, pointer, filter, registry };
}

const createServerMetrics = (instruments: Instruments) => ({
  ...createGateMetrics(instruments),
  orders: createProducerMetrics(instruments),
});

type GateParts = {
  parts: ProcessParts;
  prisma: PrismaClient;
  reserved: ReservedWords;
  filter: FilterReader;
  outboxLag: OutboxLag;
  metrics: GateMetrics;
};

function createGate(env: ServerEnv, deps: GateParts): SignUpDeps {
  const { parts, prisma, reserved, filter, outboxLag, metrics } = deps;
  return {
    reserved,
    filter,
    outboxLag,
    metrics,
    confirmer: new UsernameConfirmer(prisma, {
      concurrency: Math.min(env.CONFIRM_CONCURRENCY, env.DATABASE_POOL),
      queue: env.CONFIRM_QUEUE,
      deadlineMs: env.CONFIRM_DEADLINE_MS,
    }),
    prisma,
    slots: signUpSlots(env.DATABASE_POOL, env.SIGNUP_MAX_WAIT_MS),
    notifyRelay: createNotifier(
      parts.pool,
      NOTIFY_DELAY_MS,
      parts.warn("relay notification failed; it polls"),
    ),
    requestRedelivery: key => requestRedelivery(parts.pool, key),
  };
}

/** The services that need no permission: check, sign up and sessions. */
function createAccountServices(gate: SignUpDeps, auth: () => Auth) {
  return {
    checkUsername: (username: string) => checkUsername(gate, username),
    signUp: (input: Parameters<typeof signUp>[1]) => signUp(gate, input),
    openSession: (userId: string, head: RequestHead) => openSession(auth(), userId, head),
    readSession: (head: RequestHead) => readSession(auth(), head),
    closeSession: (head: RequestHead) => closeSession(auth(), head),
  };
}

type Followed = {
  pointer: PointerFollower;
  outboxLag: OutboxLag;
  reserved: ReservedWords;
  instance: string;
};

/** Stores the assets of the pages' build, so that tabs of it go on after the next deploy. */
function keepAssets(parts: ProcessParts, build: PageBuild): PageAssets {
  const assets = new PageAssets(parts.pool, build.assets);
  parts.loop({
    name: "page assets",
    everyMs: ASSETS_EVERY_MS,
    step: async () => {
      await assets.publish();
      return "idle";
    },
    failure: "page assets not stored; tabs from before the next deploy may fail",
  });
  return assets;
}

/** The loops that refresh the server's caches. */
function startFollowing(parts: ProcessParts, followed: Followed): void {
  const { pointer, outboxLag, reserved, instance } = followed;
  const { log, redis } = parts;
  parts.loop({
    name: "pointer",
    everyMs: POINTER_EVERY_MS,
    maxBackoffMs: POINTER_EVERY_MS,
    step: async () => {
      await pointer.refresh();
      return "idle";
    },
    onError: err => log.debug({ err }, "filter pointer not read; the last one stays"),
  });
  parts.loop({
    name: "outbox lag",
    everyMs: outboxLag.refreshEveryMs,
    maxBackoffMs: outboxLag.refreshEveryMs,
    step: async () => {
      await outboxLag.refresh();
      return "idle";
    },
    onError: err => log.debug({ err }, "outbox lag not read; the last reading grows older"),
  });
  parts.loop({
    name: "reader",
    everyMs: NOTE_EVERY_MS,
    step: async () => {
      await noteReader(redis, instance, pointer);
      return "idle";
    },
    onError: err => log.debug({ err }, "followed version not reported"),
  });
  parts.loop({
    name: "reserved words",
    everyMs: RESERVED_EVERY_MS,
    step: async () => {
      await reserved.refresh();
      return "idle";
    },
    onError: parts.warn("reserved words not refreshed; the last ones stay"),
  });
}

/** The order side's part of the health. A failed look makes it unknown, and the outage has its own alert. */
function watchOrders(parts: ProcessParts, { ORDER_LOG_NAME: log, ORDER_LOG }: ServerEnv): OrderHealthWatch {
  const { redis } = parts;
  const watch = new OrderHealthWatch(() =>
    readOrderFigures({ redis, log, isLogInRedis: ORDER_LOG === "redis" }),
  );
  parts.loop({
    name: "order health",
    everyMs: ORDER_HEALTH_EVERY_MS,
    maxBackoffMs: ORDER_HEALTH_EVERY_MS,
    step: async () => {
      await watch.look();
      return "idle";
    },
    onError: err => parts.log.debug({ err }, "order health not read"),
  });
  return watch;
}

type Listening = { env: ServerEnv; parts: ProcessParts; drain: Drain };

/** The server stops before all other parts. */
async function listen(server: Server, { env, parts, drain }: Listening): Promise<void> {
  parts.onStop(() => drain.run(server, env.SHUTDOWN_DRAIN_MS));
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(env.PORT, env.HOST, resolve);
    });
  } catch (error) {
    await parts.stop();
    throw error;
  }
}
