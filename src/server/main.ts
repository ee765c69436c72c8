import next from "next";
import { Registry } from "prom-client";
import type { Services } from "../api/context";
import { createEngines } from "../filter/detect-engine";
import { PointerFollower } from "../filter/pointer";
import { FilterReader } from "../filter/reader";
import { requestRedelivery } from "../outbox/upkeep";
import { createLogger } from "../runtime/logger";
import { startMetricsServer } from "../runtime/metrics-server";
import { readEnv } from "../runtime/read-env";
import { runLoop } from "../runtime/run-loop";
import { onShutdown } from "../runtime/shutdown";
import { createAuth } from "../services/auth";
import { checkUsername } from "../services/check-username";
import { UsernameConfirmer } from "../services/confirm-username";
import { PasswordHasher } from "../services/hash-password";
import { ReservedWords } from "../services/reserved-words";
import { closeSession, openSession, readSession } from "../services/sessions";
import { signUp, type SignUpDeps } from "../services/sign-up";
import { createHint } from "../store/listener";
import { createPool, createPrisma } from "../store/postgres";
import { createRedis } from "../store/redis";
import { createGateMetrics } from "../telemetry/gate-metrics";
import { serverEnv } from "./env";
import { readHealth } from "./health";
import { createHttpServer } from "./http-server";
import { createRateLimits } from "./rate-limits";

/** Readers follow a flip within a second; they look four times in one. */
const POINTER_EVERY_MS = 250;
const RESERVED_EVERY_MS = 5_000;
const HINT_DELAY_MS = 20;

const env = readEnv(serverEnv, process.env);
const log = createLogger("server", env.LOG_LEVEL);
const publicUrl = env.PUBLIC_URL ?? `http://localhost:${env.PORT}`;
const warn = (what: string) => (err: unknown) => log.warn({ err }, what);

const pool = createPool(
  {
    url: env.DATABASE_URL,
    applicationName: "floodgate server",
    maxConnections: env.DATABASE_POOL,
    connectTimeoutMs: 2_000,
    statementTimeoutMs: 5_000,
  },
  warn("a database connection broke"),
);
const prisma = createPrisma(pool);
const redis = createRedis(
  { url: env.REDIS_URL, connectionName: "floodgate-server", commandTimeoutMs: env.FILTER_TIMEOUT_MS },
  warn("redis"),
);

const registry = new Registry();
const pointer = new PointerFollower(redis);
const filter = new FilterReader(redis, createEngines(redis), pointer);
const reserved = new ReservedWords(prisma);
const gate: SignUpDeps = {
  reserved,
  filter,
  metrics: createGateMetrics(registry),
  confirmer: new UsernameConfirmer(pool, {
    concurrency: Math.min(env.CONFIRM_CONCURRENCY, env.DATABASE_POOL),
    queue: env.CONFIRM_QUEUE,
    deadlineMs: env.CONFIRM_DEADLINE_MS,
  }),
  prisma,
  hasher: new PasswordHasher(),
  hintRelay: createHint(pool, HINT_DELAY_MS, warn("the relay could not be hinted; it polls")),
  requestRedelivery: key => void requestRedelivery(pool, key).catch(warn("a redelivery could not be requested")),
};
const auth = createAuth(prisma, { publicUrl, secret: env.AUTH_SECRET });
const services: Services = {
  checkUsername: username => checkUsername(gate, username),
  signUp: input => signUp(gate, input),
  openSession: (userId, head) => openSession(auth, userId, head),
  readSession: head => readSession(auth, head),
  closeSession: head => closeSession(auth, head),
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
    name: "reserved words",
    everyMs: RESERVED_EVERY_MS,
    step: async () => {
      await reserved.refresh();
      return "idle";
    },
    onError: warn("the reserved words could not be read; the last ones stay"),
  }),
];

const web = next({ dev: process.argv.includes("--dev"), dir: process.cwd(), hostname: env.HOST, port: env.PORT });
const server = createHttpServer({
  services,
  limits: createRateLimits(redis, {
    checksPerMinute: env.CHECKS_PER_MINUTE,
    signUpsPerTenMinutes: env.SIGNUPS_PER_TEN_MINUTES,
  }),
  log,
  trustedProxyHops: env.TRUSTED_PROXY_HOPS,
  publicUrl,
  health: () => readHealth({ pool, reader: filter, pointer }),
  pages: (req, res) => web.getRequestHandler()(req, res),
});
const metricsServer = env.METRICS_PORT ? startMetricsServer(env.METRICS_PORT, registry, log) : null;

const shutDown = onShutdown(
  async () => {
    const closed = new Promise(resolve => server.close(resolve));
    server.closeIdleConnections();
    await Promise.race([closed, new Promise(resolve => setTimeout(resolve, 5_000))]);
    server.closeAllConnections();
    metricsServer?.close();
    await Promise.all(loops.map(loop => loop.stop()));
    await prisma.$disconnect();
    await pool.end();
    redis.disconnect();
    await web.close();
  },
  { timeoutMs: 9_000, logger: log },
);

server.on("error", err => {
  log.error({ err }, "the server cannot listen");
  shutDown("it cannot listen", 1);
});
await web.prepare();
server.listen(env.PORT, env.HOST, () => log.info({ url: publicUrl }, "listening"));
