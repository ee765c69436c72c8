import { Aggregator } from "../aggregate/aggregator";
import { AggregatorStatusStore } from "../aggregate/aggregator-status-store";
import { RedisDeadLetterStream } from "../aggregate/dead-letter-stream";
import { LeaseLost, RedisOrderedOutput } from "../aggregate/ordered-output";
import { trimPassed } from "../aggregate/trim-passed";
import { WatermarkEmitter } from "../aggregate/watermark-emitter";
import { watchSymbols } from "../controllers/symbols/watch-symbols";
import { readHighestStamp } from "../engine/stored-numbers";
import { type OpenedLog, openOrderLog } from "../orders/open-order-log";
import { OrderLogSetupError } from "../orders/order-log-setup-error";
import { PlanBook } from "../orders/plan-book";
import { shardLimitsOf } from "../orders/shard-limits";
import { LeasedRunner } from "../process/leased-runner";
import type { AggregatorEnv } from "../process/order-env";
import { ProcessParts, type RunningProcess } from "../process/process-parts";
import { ClockSteps } from "../runtime/clock-steps";
import { type Health, healthOf } from "../runtime/health";
import type { Logger } from "../runtime/logger";
import type { RunningLoop, StepResult } from "../runtime/run-loop";
import { readLeaseOwners } from "../store/lease-owners";
import { type Leases, PartitionLeases } from "../store/partition-leases";
import { RedisProducerRegistry } from "../store/producer-registry";
import { masters, type RedisClient } from "../store/redis";
import { type AggregatorMetrics, createAggregatorMetrics } from "../telemetry/order-metrics";
import { StreamWaiter } from "./stream-waiter";

const PLANS_EVERY_MS = 2_000;
const CHECKPOINT_EVERY_MS = 500;
const HOUSEKEEPING_EVERY_MS = 1_000;
const TRIM_EVERY_MS = 5_000;
/** Without producers and orders: an order ends each of these waits. */
const IDLE_WATERMARK_MS = 2_000;
const IDLE_CHECKPOINT_MS = 4_000;
/** Where one connection can't wait for all shards. */
const IDLE_POLL_MS = 20;
/** From so many buffered orders on, the next step follows at once. */
const BUSY_BUFFER = 10_000;
/** Without ORDER_WATERMARK_INTERVAL_MS: where watermarks cost nothing, and where each counts against its shard's limits. */
const [REDIS_WATERMARK_MS, COUNTED_WATERMARK_MS] = [10, 50];
/** Redis is close to its memory limit: health says so before writes fail. */
const MEMORY_ALARM = 0.85;
const LAG_ALARM_MS = 5_000;
const UNREGISTERED_NOTE_EVERY_MS = 60_000;

/**
 * One copy of the aggregator, of which N share the symbols: restores the order of orders, and emits the
 * log's watermarks. All its state is in Redis; it may be killed at any moment.
 */
export function runAggregator(env: AggregatorEnv, log: Logger): RunningProcess {
  const parts = new ProcessParts({
    name: "aggregator",
    env,
    log,
    database: { maxConnections: 4, statementTimeoutMs: 5_000 },
    worksWithoutDatabase: true,
    redisTimeoutMs: 2_000,
  });
  const { metrics, registry: prometheus } = parts.telemetry(createAggregatorMetrics);
  const worker = new AggregatorWorker(env, parts, metrics);
  parts.serveMetrics(prometheus, async () => worker.health());
  worker.startLoops();
  log.info({ owner: parts.owner }, "aggregator started");
  return parts.running();
}

/** The state that the aggregator's loops share. */
class AggregatorWorker {
  private readonly opened: OpenedLog;
  private readonly registry: RedisProducerRegistry;
  private readonly output: RedisOrderedOutput;
  private readonly plans: PlanBook;
  private readonly status: AggregatorStatusStore;
  private readonly emitter: WatermarkEmitter;
  private readonly runner: LeasedRunner<Aggregator>;
  private readonly watermarkMs: number;
  private readonly waiter: StreamWaiter;
  private emitting: RunningLoop | null = null;
  private isEmitterIdle = false;
  private checkpointAtMs = Number.NEGATIVE_INFINITY;
  /** The log has shards and is where this process looks for it. */
  private isPrepared = false;
  private unregisteredAtMs = Number.NEGATIVE_INFINITY;
  private readonly hostSteps: ClockSteps;

  constructor(
    private readonly env: AggregatorEnv,
    private readonly parts: ProcessParts,
    private readonly metrics: AggregatorMetrics,
  ) {
    const { redis, log, pool } = parts;
    const name = env.ORDER_LOG_NAME;
    this.opened = openOrderLog(env, {
      redis,
      onProblem: (phrase, fields) => log.warn(fields, phrase),
      reading: { reader: env.KINESIS_READER, consumer: env.KINESIS_CONSUMER ?? `floodgate-${name}` },
    });
    parts.onStop(() => this.opened.close());
    this.registry = new RedisProducerRegistry(redis, name);
    this.output = new RedisOrderedOutput(redis, name);
    this.hostSteps = this.stepsOf("host");
    this.plans = new PlanBook(pool);
    this.waiter = new StreamWaiter(env.REDIS_URL, parts);
    this.status = new AggregatorStatusStore(redis, name);
    parts.onStop(() => this.status.remove(parts.owner).catch(() => {}));
    this.watermarkMs =
      env.ORDER_WATERMARK_INTERVAL_MS ?? (this.opened.isInRedis ? REDIS_WATERMARK_MS : COUNTED_WATERMARK_MS);
    const redisSteps = this.stepsOf("redis");
    this.emitter = new WatermarkEmitter({
      log: this.opened.log,
      registry: this.registry,
      silenceUs: env.ORDER_SILENCE_MS * 1_000,
      windowUs: env.ORDER_WINDOW_MS * 1_000,
      minIntervalUs: (this.watermarkMs - 1) * 1_000,
      onFenced: (producer, silentMs) => {
        metrics.fenced.inc();
        log.warn({ producer, silentMs: Math.round(silentMs) }, "silent producer fenced");
      },
      highestReadUs: () => this.runner.current?.highestReadUs ?? 0,
      onClock: (nowUs, between) => redisSteps.observe(nowUs, between),
    });
    this.runner = new LeasedRunner({
      parts,
      partitions: new PartitionLeases(redis, {
        log: name,
        kind: "aggregator",
        owner: parts.owner,
        ttlMs: env.ORDER_LEASE_MS,
        storedEpochs: partitions => this.readStoredEpochs(partitions),
      }),
      owners: () => readLeaseOwners(redis, { log: name, kind: "aggregator" }),
      ttlMs: env.ORDER_LEASE_MS,
      start: leases => this.startAggregator(leases),
      isLeaseLost: error => error instanceof LeaseLost,
      finish: aggregator => aggregator.writeCheckpoint().catch(parts.warn("last checkpoint not written")),
    });
  }

  startLoops(): void {
    const { parts, env } = this;
    const watching = watchSymbols({
      pool: parts.pool,
      redis: parts.redis,
      orderLog: this.opened.log,
      logName: env.ORDER_LOG_NAME,
      limits: shardLimitsOf(env.ORDER_LIMITS),
      log: parts.log,
      isPrepared: () => this.isPrepared,
      isQuiet: () => this.isIdle,
    });
    parts.onStop(() => watching.stop());
    this.emitting = parts.loop({
      name: "watermarks",
      everyMs: this.watermarkMs,
      maxBackoffMs: 500,
      step: async () => (this.isPrepared ? this.emit() : "idle"),
      failure: "watermark emission failed",
    });
    parts.loop({
      name: "aggregate",
      everyMs: env.ORDER_POLL_MS,
      maxBackoffMs: 1_000,
      step: async signal =>
        this.isPrepared ? this.runner.step(aggregator => this.aggregate(aggregator, signal)) : "idle",
      failure: "aggregation failed; it continues from the last checkpoint",
    });
    parts.loop({
      name: "checkpoint",
      everyMs: CHECKPOINT_EVERY_MS,
      maxBackoffMs: 2_000,
      step: () => this.checkpoint(),
      failure: "checkpoint not written",
    });
    parts.loop({
      name: "housekeeping",
      everyMs: HOUSEKEEPING_EVERY_MS,
      maxBackoffMs: 5_000,
      step: () => this.report(),
      failure: "aggregator status not written",
    });
    parts.loop({
      name: "trim",
      everyMs: TRIM_EVERY_MS,
      step: async () => (this.isPrepared ? this.trim() : "idle"),
      failure: "order log not trimmed",
    });
    parts.loop({
      name: "plans",
      everyMs: PLANS_EVERY_MS,
      step: () => this.refreshPlans(),
      onError: err => this.onPlansError(err),
    });
  }

  health(): Health {
    const problems: string[] = [];
    const { isConnected } = this.parts;
    if (!isConnected) problems.push("Redis does not answer: no order is delivered.");
    const memory = this.metrics.logMemoryUtilization.read();
    if (memory !== null && memory > MEMORY_ALARM)
      problems.push(`Redis uses ${Math.round(memory * 100)} % of its memory: unread orders need room.`);
    if (isConnected) problems.push(...this.workProblems());
    const { status } = healthOf(problems, isConnected);
    return { status, problems, partitions: this.runner.partitions, bufferedEvents: this.bufferedEvents };
  }

  /** A process that runs, and does not do what it should. */
  private workProblems(): string[] {
    const problems: string[] = [];
    if (!this.isPrepared) problems.push("The order log could not be opened yet: no order is read.");
    else if (this.runner.problem !== null) problems.push(this.runner.problem);
    // Asked now: a metric keeps its last value when nothing is measured any more.
    const lagMs = this.lagMs(this.slowest?.throughUs);
    if (lagMs !== null && lagMs > LAG_ALARM_MS)
      problems.push(`Orders wait for ${this.slowest?.name ?? "an unknown producer"}.`);
    if (lagMs === null && this.bufferedEvents > 0)
      problems.push(`${this.bufferedEvents} orders wait, and their lag is unknown.`);
    return problems;
  }

  /** Without producers no watermark is waited for: the next one may take its time. */
  private get slowest() {
    return this.isIdle ? null : (this.runner.current?.slowestProducer ?? null);
  }

  /** Orders go on after a step; but people should know that times in logs and charts have jumped. */
  private stepsOf(clock: "redis" | "host"): ClockSteps {
    return new ClockSteps(stepMs => {
      this.metrics.clockSteps[clock].inc();
      this.parts.log.warn({ clock, stepMs }, "clock stepped");
    });
  }

  private get bufferedEvents(): number {
    return this.runner.current?.bufferedEvents ?? 0;
  }

  /** No producer has joined, and no order is in the buffer. */
  private get isIdle(): boolean {
    return (this.emitter.view?.producers.length ?? 0) === 0 && this.bufferedEvents === 0;
  }

  /** With the leases the registry may be lost, too: what Postgres remembers is the floor of its numbers. */
  private async readStoredEpochs(partitions: readonly number[]): Promise<Leases> {
    await readHighestStamp(this.parts.pool)
      .then(remembered => this.registry.raise(remembered))
      .catch(this.parts.warn("highest stamp not read; stamps start at the clock"));
    return this.output.storedEpochs(partitions);
  }

  private startAggregator(leases: Leases): Promise<Aggregator> {
    // Leases change owners or epochs: the shards may be others.
    this.emitter.forgetMap();
    const { env, metrics, plans, parts } = this;
    return Aggregator.start({
      log: this.opened.log,
      output: this.output,
      leases,
      deadLetters: new RedisDeadLetterStream(parts.redis, env.ORDER_LOG_NAME),
      // A clock that has stepped back makes no order one of the future.
      nowUs: () => Math.max(Date.now(), performance.timeOrigin + performance.now()) * 1_000,
      // Before the first read of the table every symbol counts as known.
      knowsSymbol: symbol => plans.tradedSymbols.size === 0 || plans.tradedSymbols.has(symbol),
      onReshard: () => this.emitter.forgetMap(),
      settings: {
        readLimit: 500,
        maxBufferedEvents: env.ORDER_MAX_BUFFERED_EVENTS,
        maxBehind: env.ORDER_MAX_UNREAD,
      },
      on: {
        released: (symbol, count) => metrics.released(symbol).inc(count),
        duplicates: count => metrics.duplicates.inc(count),
        deadLetters: (reason, count) => metrics.deadLetters[reason].inc(count),
        unregistered: () => this.noteUnregistered(),
        timed({ ingestMs, shardMs, bufferMs }) {
          if (ingestMs !== undefined) metrics.ingest.observeMs(ingestMs);
          if (shardMs !== undefined) metrics.shardWait.observeMs(shardMs);
          metrics.bufferWait.observeMs(bufferMs);
        },
      },
    });
  }

  private noteUnregistered(): void {
    if (performance.now() - this.unregisteredAtMs < UNREGISTERED_NOTE_EVERY_MS) return;
    this.unregisteredAtMs = performance.now();
    this.registry.noteUnregistered().catch(this.parts.warn("unregistered producer not noted"));
  }

  private async emit(): Promise<StepResult> {
    await this.emitter.emitOnce();
    this.isEmitterIdle = this.isIdle;
    return this.isEmitterIdle ? { waitMs: IDLE_WATERMARK_MS } : "idle";
  }

  private async aggregate(aggregator: Aggregator, signal: AbortSignal): Promise<StepResult> {
    const isBusy = await aggregator.step();
    if (this.isEmitterIdle && aggregator.bufferedEvents > 0) {
      this.isEmitterIdle = false;
      this.emitting?.wake();
    }
    if (isBusy) return aggregator.bufferedEvents > BUSY_BUFFER ? "again" : "idle";
    return this.isIdle ? this.waitForRecords(aggregator, signal) : "idle";
  }

  private async waitForRecords(aggregator: Aggregator, signal: AbortSignal): Promise<StepResult> {
    const streams = this.opened.log.streamsBehind?.(aggregator.shardsToRead()) ?? new Map<string, string>();
    return (await this.waiter.wait(streams, signal)) === "unable" ? { waitMs: IDLE_POLL_MS } : "again";
  }

  private async checkpoint(): Promise<"idle"> {
    const paused = this.runner.current?.pausedSymbols() ?? [];
    const isFresh = performance.now() - this.checkpointAtMs < IDLE_CHECKPOINT_MS;
    // Watermarks alone are read again in no time.
    if (this.isIdle && isFresh && paused.length === 0) return "idle";
    await this.runner.use(async aggregator => {
      await aggregator.writeCheckpoint();
      await aggregator.refreshPaused();
    });
    await this.registry.setPaused(this.runner.current?.pausedSymbols() ?? [], 2 * CHECKPOINT_EVERY_MS);
    this.checkpointAtMs = performance.now();
    return "idle";
  }

  private async report(): Promise<"idle"> {
    const { metrics, parts } = this;
    const localUs = performance.now() * 1_000;
    this.hostSteps.observe(Date.now() * 1_000, { sentUs: localUs, receivedUs: localUs });
    const { slowest } = this;
    const lagMs = this.lagMs(slowest?.throughUs);
    const memoryBytes = process.memoryUsage.rss();
    if (lagMs !== null) metrics.lagMs.set(lagMs);
    metrics.buffered.set(this.bufferedEvents);
    metrics.memoryBytes.set(memoryBytes);
    const utilization = await readMemoryUtilization(parts.redis);
    if (utilization !== null) metrics.logMemoryUtilization.set(utilization);
    await this.status.write(parts.owner, {
      atMs: Date.now(),
      partitions: this.runner.partitions,
      bufferedEvents: this.bufferedEvents,
      slowestProducer: slowest?.name ?? null,
      lagMs,
      memoryBytes,
    });
    return "idle";
  }

  /** Milliseconds; null when it is unknown. */
  private lagMs(slowestThroughUs: number | undefined): number | null {
    if (slowestThroughUs !== undefined) return Math.max(0, Date.now() - slowestThroughUs / 1_000);
    return this.runner.current && this.isIdle ? 0 : null;
  }

  private async trim(): Promise<"idle"> {
    await trimPassed(this.opened.log, this.output);
    await this.emitter.forgetProducers();
    await this.status.removeDead();
    return "idle";
  }

  private async refreshPlans(): Promise<"idle"> {
    await this.opened.prepare(this.env.ORDER_SHARDS);
    this.isPrepared = true;
    await this.plans.refresh();
    return "idle";
  }

  private onPlansError(err: unknown): void {
    if (!this.isPrepared && err instanceof OrderLogSetupError) this.parts.fail(err);
    else this.parts.warn("split plans or shards not refreshed; the last ones stay")(err);
  }
}

/** The fullest node's memory in use as a ratio of its limit. Null when Redis has no limit. */
async function readMemoryUtilization(redis: RedisClient): Promise<number | null> {
  const infos = await Promise.all(masters(redis).map(node => node.info("memory")));
  const ratios = infos.map(
    info => Number(/^used_memory:(\d+)/m.exec(info)?.[1]) / Number(/^maxmemory:(\d+)/m.exec(info)?.[1]),
  );
  const utilization = Math.max(...ratios);
  return Number.isFinite(utilization) ? utilization : null;
}
