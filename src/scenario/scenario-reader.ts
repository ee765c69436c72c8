import { Aggregator } from "../aggregate/aggregator";
import { RedisDeadLetterStream } from "../aggregate/dead-letter-stream";
import { RedisOrderedOutput } from "../aggregate/ordered-output";
import { WatermarkEmitter } from "../aggregate/watermark-emitter";
import type { KeyChoice } from "../domain/lab/scenario";
import type { ShardMap } from "../domain/orders/hash-range";
import { PARTITIONS } from "../domain/orders/order-partition";
import { DEFAULT_WINDOW_MS } from "../orders/order-log-settings";
import type { RedisLog } from "../orders/redis-log";
import { type RunningLoop, runLoop } from "../runtime/run-loop";
import type { ProducerRegistry } from "../store/producer-registry";
import type { RedisClient } from "../store/redis";
import { ArrivalReader, OrderedReader, type ScenarioEngine } from "./scenario-engine";

/** All of a scenario shares one process: a busy machine must not have its producers fenced. */
export const SILENCE_MS = 2_000;

export type ReaderDeps = {
  redis: RedisClient;
  /** The log's name. */
  name: string;
  log: RedisLog;
  map: ShardMap;
  registry: ProducerRegistry;
  engine: ScenarioEngine;
  symbol: string;
  random: () => number;
  onError: (error: unknown) => void;
};

export type ScenarioReader = {
  /** Waits until so many orders have reached the engine, none did for `timeoutMs`, or `signal` aborts. */
  drain(expected: number, timeoutMs: number, signal?: AbortSignal): Promise<void>;
  stop(): Promise<void>;
};

/** Split orders come through the aggregator; the article's first two scenarios as they arrive. */
export async function startReader(choice: KeyChoice, deps: ReaderDeps): Promise<ScenarioReader> {
  const { engine } = deps;
  const works = choice === "random" || choice === "hash" ? readArrivals(deps) : await readInOrder(deps);
  const loops: RunningLoop[] = works.map(({ name, everyMs, work }) =>
    runLoop({
      name,
      everyMs,
      maxBackoffMs: 500,
      onError: deps.onError,
      step: async () => {
        await work();
        return "idle";
      },
    }),
  );
  return {
    async drain(expected, timeoutMs, signal) {
      let last = { received: engine.received, atMs: performance.now() };
      while (engine.seen < expected && performance.now() - last.atMs < timeoutMs && !signal?.aborted) {
        await new Promise(resolve => setTimeout(resolve, 20));
        if (engine.received !== last.received) last = { received: engine.received, atMs: performance.now() };
      }
    },
    async stop() {
      await Promise.all(loops.map(loop => loop.stop()));
    },
  };
}

type Work = { name: string; everyMs: number; work: () => Promise<unknown> };

function readArrivals({ log, map, engine, random }: ReaderDeps): Work[] {
  const arrivals = new ArrivalReader(log, map, engine);
  return [{ name: "arrivals", everyMs: 4, work: () => arrivals.drainOnce(random) }];
}

async function readInOrder({ redis, name, log, registry, engine, symbol }: ReaderDeps): Promise<Work[]> {
  const emitter = new WatermarkEmitter({
    log,
    registry,
    silenceUs: SILENCE_MS * 1_000,
    windowUs: DEFAULT_WINDOW_MS * 1_000,
    minIntervalUs: 9_000,
  });
  const aggregator = await Aggregator.start({
    log,
    output: new RedisOrderedOutput(redis, name),
    deadLetters: new RedisDeadLetterStream(redis, name),
    leases: new Map(Array.from({ length: PARTITIONS }, (_, partition) => [partition, 1])),
    nowUs: () => Date.now() * 1_000,
    settings: { readLimit: 500, maxBufferedEvents: 500_000, maxBehind: Number.POSITIVE_INFINITY },
  });
  const ordered = new OrderedReader(redis, { log: name, symbol, engine });
  return [
    { name: "watermark", everyMs: 10, work: () => emitter.emitOnce() },
    { name: "aggregate", everyMs: 4, work: () => aggregator.step() },
    { name: "ordered", everyMs: 4, work: () => ordered.drainOnce() },
  ];
}
