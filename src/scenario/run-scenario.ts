import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../domain/app-error";
import type { KeyChoice, ScenarioFigures, ScenarioOptions, ScenarioResult } from "../domain/lab/scenario";
import { seededRandom } from "../domain/seeded-random";
import { ProducerLoops } from "../orders/producer-loops";
import { KINESIS_LIMITS, RedisLog } from "../orders/redis-log";
import { SharedClock } from "../orders/shared-clock";
import { RedisProducerRegistry } from "../store/producer-registry";
import type { RedisClient } from "../store/redis";
import { Measurement } from "./measurement";
import { pickRoute } from "./pick-route";
import { keepSandbox, type Sandbox } from "./sandbox";
import { ScenarioEngine } from "./scenario-engine";
import { SILENCE_MS, startReader } from "./scenario-reader";
import { MARKET_MAKER, scenarioTraffic } from "./scenario-traffic";

const BUFFER_PER_PRODUCER = 600;
const CLOCK_MARGIN_MS = 250;
const DRAIN_MS = 20_000;
const PROGRESS_MS = 500;

export type RunScenario = {
  choice: KeyChoice;
  options: ScenarioOptions;
  /** Ends the run early, which then rejects with the signal's reason. */
  signal?: AbortSignal;
  onError: (error: unknown) => void;
  /** Called twice a second with the figures so far. */
  onProgress?: (figures: ScenarioFigures) => void;
  /** Called with the name of the log before its first key is written. */
  onSandbox?: (sandbox: Sandbox) => Promise<void>;
};

export type ScenarioRun = { result: ScenarioResult; figures: ScenarioFigures };

/**
 * Sends seeded traffic through a log of its own and measures the result: the article's argument.
 * The keys live in a sandbox that is removed at the end, and expires when the process is killed.
 */
export async function runScenario(redis: RedisClient, run: RunScenario): Promise<ScenarioRun> {
  const { shards, symbol } = run.options;
  const sandbox = { log: `lab-${randomUUID().slice(0, 8)}`, shards, symbol };
  await run.onSandbox?.(sandbox);
  const keeping = keepSandbox(redis, sandbox, run.onError);
  try {
    return await runIn(redis, sandbox.log, run);
  } finally {
    await keeping.remove();
  }
}

async function runIn(redis: RedisClient, name: string, run: RunScenario): Promise<ScenarioRun> {
  const { choice, options, signal, onError, onProgress } = run;
  const { symbol, seed } = options;
  const random = seededRandom(seed + 1);
  const log = new RedisLog(redis, { log: name, limits: KINESIS_LIMITS });
  await log.create(options.shards);
  const map = await log.readMap();
  const registry = new RedisProducerRegistry(redis, name);
  const engine = new ScenarioEngine(symbol);
  const measured = new Measurement(
    engine,
    map.open.map(({ id }) => id),
  );
  const route = pickRoute(choice, { symbol, map, random });
  const producers = Array.from(
    { length: options.producers },
    () =>
      new ProducerLoops({
        log,
        registry,
        clock: new SharedClock(),
        route,
        // Keys are chosen once: nothing is ever moved.
        isPlaced: () => true,
        // One order per record, as in the article: the limit of records is reached first.
        settings: {
          maxBuffered: BUFFER_PER_PRODUCER,
          backoffMs: 20,
          maxBackoffMs: 200,
          maxRecordBytes: 1_048_576,
          maxOrdersPerRecord: 1,
          silenceMs: SILENCE_MS,
          restampedAtOnce: 2_000,
        },
        lingerMs: 3,
        publishEveryMs: 10,
        idleMs: 60_000,
        onError,
        onAppend: (shardId, { taken }) => measured.append(shardId, taken),
      }),
  );
  const durable = () => producers.reduce((sum, { producer }) => sum + producer.durable, 0);
  const reader = await startReader(choice, {
    redis,
    name,
    log,
    map,
    registry,
    engine,
    symbol,
    random,
    onError,
  });
  const reporting = onProgress && setInterval(() => onProgress(measured.figures(durable())), PROGRESS_MS);
  try {
    await send(producers, { options, measured, durable, signal });
    measured.end(durable());
    await Promise.all(producers.map(producer => producer.stop(DRAIN_MS)));
    await reader.drain(measured.accepted, DRAIN_MS, signal);
    signal?.throwIfAborted();
    return { result: measured.result(durable()), figures: measured.figures(durable()) };
  } finally {
    clearInterval(reporting);
    // After a failure some still run; a second stop has no effect.
    await Promise.all(producers.map(producer => producer.stop(0)));
    await reader.stop();
  }
}

type Sending = {
  options: ScenarioOptions;
  measured: Measurement;
  durable: () => number;
  signal?: AbortSignal;
};

/** Sends each order when it is due; an account that could not buy does not sell. */
async function send(
  producers: readonly ProducerLoops[],
  { options, measured, durable, signal }: Sending,
): Promise<void> {
  const missing = new Set<string>();
  const traffic = scenarioTraffic(options);
  const makers = traffic.filter(({ order }) => order.accountId === MARKET_MAKER);
  for (const { order, producer } of makers) await (await producers[producer]!.submit([order])).durable;
  measured.sent += makers.length;
  // The producers' clocks differ a little: the makers' orders must have the lowest stamps.
  await sleep(CLOCK_MARGIN_MS, undefined, { signal });
  const startMs = Date.now();
  measured.start(startMs);
  for (const { order, atMs, producer } of traffic) {
    if (order.accountId === MARKET_MAKER) continue;
    const waitMs = startMs + atMs - Date.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    signal?.throwIfAborted();
    measured.sample(durable());
    measured.sent += 1;
    if (missing.has(order.accountId)) {
      measured.turnedAway += 1;
      continue;
    }
    await producers[producer]!.submit([order]).catch((error: unknown) => {
      if (!(error instanceof AppError && error.code === "BUSY")) throw error;
      measured.turnedAway += 1;
      missing.add(order.accountId);
    });
  }
}
