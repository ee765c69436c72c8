import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { hostname } from "node:os";
import type { Registry } from "prom-client";
import { type Health, healthOf, valueInTime } from "../runtime/health";
import type { Logger } from "../runtime/logger";
import { startMetricsServer } from "../runtime/metrics-server";
import { type RunLoopOptions, type RunningLoop, runLoop } from "../runtime/run-loop";
import { OwnerGuard } from "../store/owner-guard";
import { createPool, createPrisma, type Pool, type PrismaClient } from "../store/postgres";
import { createRedis, type RedisClient } from "../store/redis";
import { OWNER_KEY } from "../store/redis-keys";
import { probeWrite } from "../store/write-probe";
import type { Instruments } from "../telemetry/instruments";
import { createTelemetry, type Telemetry } from "../telemetry/telemetry";
import { DatabaseTroubles } from "./database-troubles";
import type { ProcessEnv } from "./process-env";

export type RunningProcess = {
  /** Stops every part in the reverse order of its start. */
  stop(): Promise<void>;
  /** Resolves when the process was stopped; rejects when a part died. */
  done: Promise<void>;
};

export type ProcessOptions = {
  /** As in the logs, in pg_stat_activity and in Redis' CLIENT LIST, such as "relay". */
  name: "server" | "relay" | "filter" | "aggregator" | "engine" | "lab";
  env: ProcessEnv;
  log: Logger;
  database: { maxConnections: number; statementTimeoutMs: number; relaxedCommit?: boolean };
  /** True where the process does its work without the database, and only reads from it now and then. */
  worksWithoutDatabase?: boolean;
  redisTimeoutMs: number;
};

export type PartLoop = Omit<RunLoopOptions, "onError" | "name"> & {
  name: string;
} & (
    | {
        /** The log's phrase when a step fails; the loop goes on. */
        failure: string;
      }
    | { onError: (error: unknown) => void }
  );

/** The first connection gets so long; after that, loops begin without Redis, which they report. */
const FIRST_CONNECTION_MS = 2_000;
/** A write is refused in Redis at once; health says so after this. */
const OWNER_EVERY_MS = 1_000;

/**
 * The parts that every process has, and the order in which they end:
 *
 *   pool ─▶ redis ─▶ telemetry ─▶ metrics server ─▶ parts of its own ─▶ loops
 *                 stop() goes from the last one back to the first
 *
 * All loops get the signal to stop at once; a part that was started before them ends after them.
 */
export class ProcessParts {
  readonly pool: Pool;
  readonly redis: RedisClient;
  readonly log: Logger;
  readonly databaseTroubles = new DatabaseTroubles();
  readonly guard = new OwnerGuard();
  /** Tells this copy of the process from all others. */
  readonly owner = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
  private readonly stopSteps: (() => unknown)[] = [];
  private readonly loops: RunningLoop[] = [];
  private readonly firstConnection: Promise<unknown>;
  private stopping: Promise<void> | undefined;
  private readonly ended: Promise<void>;
  private resolveEnded!: () => void;
  /** Ends the process with a fatal error. */
  fail!: (error: unknown) => void;

  constructor(private readonly options: ProcessOptions) {
    this.ended = new Promise((resolve, reject) => {
      this.resolveEnded = resolve;
      this.fail = reject;
    });
    // Without a main that listens, as in tests, the rejection must not end the process.
    this.ended.catch(() => {});
    const { name, env, log, database, redisTimeoutMs } = options;
    this.log = log;
    this.pool = createPool(
      {
        url: env.DATABASE_URL,
        applicationName: `floodgate ${name}`,
        connectTimeoutMs: 5_000,
        maxConnections: database.maxConnections,
        statementTimeoutMs: database.statementTimeoutMs,
        relaxedCommit: database.relaxedCommit,
      },
      this.warn("database connection lost"),
    );
    this.onStop(() => this.pool.end());
    this.redis = createRedis(
      {
        url: env.REDIS_URL,
        connectionName: `floodgate-${name}`,
        commandTimeoutMs: redisTimeoutMs,
        guard: this.guard,
      },
      this.warn("redis connection failed"),
    );
    this.onStop(() => this.redis.disconnect());
    const claimed = connectedOrFailed(this.redis).then(() => this.claimInTime());
    this.firstConnection = claimed.catch(this.warn("owner of redis not known"));
    this.keepClaiming();
  }

  private keepClaiming(): void {
    const claiming = runLoop({
      name: "owner",
      everyMs: OWNER_EVERY_MS,
      maxBackoffMs: OWNER_EVERY_MS,
      step: async () => {
        await this.firstConnection;
        await this.claimInTime();
        return "idle";
      },
      onError: err => this.log.debug({ err }, "owner of redis not compared; the last result stays"),
    });
    this.onStop(() => claiming.stop());
  }

  /** A database that hangs holds up neither the start nor the stop. */
  private async claimInTime(): Promise<void> {
    await valueInTime(this.claim(), FIRST_CONNECTION_MS);
  }

  /** Compares the owner of Redis with this installation. */
  private async claim(): Promise<void> {
    const before = this.guard.problem;
    await this.guard.refresh(this.pool, async ({ installation, database, databaseName }) =>
      String(await this.redis.claimOwner(OWNER_KEY, `${installation} ${database}`, databaseName, "")),
    );
    const { problem } = this.guard;
    if (problem !== before && problem !== null)
      this.log.error({ problem }, "redis not owned; nothing is written");
  }

  /** The client reports an outage and reconnects; no step starts in the meantime. */
  get isConnected(): boolean {
    return this.redis.status === "ready";
  }

  /** A handler that writes a warning with the error. */
  warn(phrase: string): (err: unknown) => void {
    return err => this.options.log.warn({ err }, phrase);
  }

  /** A step of the stop: it runs before the steps that were added earlier. */
  onStop(step: () => unknown): void {
    this.stopSteps.push(step);
  }

  prisma(): PrismaClient {
    const prisma = createPrisma(this.pool);
    this.onStop(() => prisma.$disconnect());
    return prisma;
  }

  telemetry<Metrics>(
    create: (instruments: Instruments) => Metrics,
    { off = false } = {},
  ): Telemetry<Metrics> {
    const { name, log } = this.options;
    if (name === "filter" || name === "lab") throw new Error(`${name} has no telemetry of its own`);
    const telemetry = createTelemetry(create, {
      redis: this.redis,
      kind: name,
      off,
      onOutage: this.warn("telemetry flush failed; counts wait in memory"),
      onFull: err => log.warn({ err }, "metric cardinality limit reached"),
    });
    // Before the first connection there is nowhere to flush to; counts wait in memory.
    void this.firstConnection.then(() => this.stopping ?? telemetry.start());
    this.onStop(() => telemetry.stop());
    return telemetry;
  }

  /**
   * Serves /metrics, /healthz and /readyz on METRICS_HOST:METRICS_PORT, if a port is set. Health includes the
   * database's, and whose Redis it is. Where it can't listen, the process ends with a SetupError.
   */
  serveMetrics(registry: Registry, health: () => Promise<Health>): void {
    const { env, log } = this.options;
    if (env.METRICS_PORT === undefined) return;
    const server = startMetricsServer({
      port: env.METRICS_PORT,
      host: env.METRICS_HOST,
      registry,
      health: async () => this.withServices(await health()),
      log,
      onError: this.fail,
    });
    this.onStop(() => server.close());
  }

  private async withServices(health: Health): Promise<Health> {
    const { name, worksWithoutDatabase = false } = this.options;
    // Its own health has the database in it.
    if (name === "server") return health;
    const problem = await probeWrite(this.pool);
    const found = problem === null ? this.databaseTroubles.problems : [`${problem}.`];
    const notOwner = this.guard.problem;
    if (notOwner !== null) found.unshift(notOwner);
    const unreachable = this.redis.trouble.problem;
    if (unreachable !== null) found.unshift(`Redis is unreachable: ${unreachable}.`);
    const isUp = health.status !== "down" && notOwner === null && (problem === null || worksWithoutDatabase);
    return { ...health, ...healthOf(health.problems.concat(found), isUp) };
  }

  /** Runs the step again and again until the stop. */
  loop(options: PartLoop): RunningLoop {
    if (this.loops.length === 0) this.onStop(() => Promise.all(this.loops.map(loop => loop.stop())));
    const work = "failure" in options ? options.failure : `${options.name} failed`;
    const loop = runLoop({
      ...options,
      step: async signal => {
        await this.firstConnection;
        const result = await options.step(signal);
        this.databaseTroubles.succeeded(work);
        return result;
      },
      onError: (err, retry) => {
        this.databaseTroubles.failed(work, err);
        if ("onError" in options) options.onError(err);
        else {
          const { name: loop, attempt, inMs } = retry;
          this.log.warn({ err, loop, attempt, retryMs: Math.round(inMs) }, options.failure);
        }
      },
    });
    loop.done.catch(this.fail);
    this.loops.push(loop);
    return loop;
  }

  /** The process as its main sees it. */
  running(): RunningProcess {
    return { stop: () => this.stop(), done: this.ended };
  }

  stop(): Promise<void> {
    this.stopping ??= this.stopAll();
    return this.stopping;
  }

  private async stopAll(): Promise<void> {
    const errors: unknown[] = [];
    for (const step of this.stopSteps.reverse()) {
      await Promise.resolve()
        .then(step)
        .catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) throw new AggregateError(errors, "parts of the process could not be stopped");
    this.resolveEnded();
  }
}

/** Resolves when the first connection is ready, has failed, or takes too long. */
async function connectedOrFailed(redis: RedisClient): Promise<void> {
  if (redis.status === "ready") return;
  const bound = AbortSignal.timeout(FIRST_CONNECTION_MS);
  // `once` rejects on "error", which here is an answer like any other.
  await Promise.race([
    once(redis, "ready", { signal: bound }),
    once(redis, "close", { signal: bound }),
  ]).catch(() => {});
}
