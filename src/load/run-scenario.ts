import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Aggregator } from "../aggregate/aggregator";
import { RedisOrderedOutput } from "../aggregate/ordered-output";
import { Pacemaker } from "../aggregate/pacemaker";
import { RedisSideStream } from "../aggregate/side-stream";
import { AppError } from "../domain/app-error";
import { type ShardMap, shardOfKey } from "../domain/hash-range";
import { PARTITIONS } from "../domain/order-partition";
import { placePlain, placePlanned, type SubKey } from "../domain/split-placement";
import { ProducerLoops } from "../orders/producer-loops";
import { KINESIS_LIMITS, RedisLog } from "../orders/redis-log";
import { SharedClock } from "../orders/shared-clock";
import { startEmbedded } from "../runtime/embedded/start-embedded";
import { runLoop } from "../runtime/run-loop";
import { RedisProducerRegistry } from "../store/producer-registry";
import { createRedis, type RedisClient, redisIsReady } from "../store/redis";
import { ArrivalReader, OrderedReader, ScenarioEngine } from "./scenario-log";
import type { ScenarioOptions } from "./scenario-options";
import { scenarioTraffic, seeded } from "./scenario-traffic";

/** How keys are chosen: the article's two scenarios, and its answer with plain and with planned suffixes. */
export type KeyChoice = "random" | "hash" | "splitPlain" | "splitPlanned";

export type ScenarioResult = {
  /** Sold before bought, as the engine sees it. */
  violations: number;
  /** Records that met a shard's limit and were sent again. */
  throttled: number;
  /** Orders that were turned away because buffers were full; these callers do not come again. */
  lost: number;
  /** Orders that became durable, per second, once the first burst is over. */
  ordersPerSecond: number;
  /** The same, in limits of one shard: 1,000 records per second. */
  capacityInShards: number;
  /** Share of all records that went to the busiest shard. */
  busiestShardShare: number;
  latencyP50Ms: number;
  latencyP99Ms: number;
};

/** A bucket holds one second of a shard's limit, so the first seconds say nothing. */
const BURST_MS = 2_500;
const BUFFER_PER_PRODUCER = 600;
/** On a busy machine all of this shares one process: nobody is declared dead so soon. */
const SILENCE_US = 2_000_000;
const DRAIN_MS = 20_000;

/** Runs the scenarios one after the other on a Redis of their own. */
export async function runScenarios(
  choices: readonly KeyChoice[],
  options: ScenarioOptions,
): Promise<Partial<Record<KeyChoice, ScenarioResult>>> {
  const dataDir = await mkdtemp(join(tmpdir(), "floodgate-scenario-"));
  const embedded = await startEmbedded({ dataDir, needPostgres: false, needRedis: true, log: () => {} });
  const connection = { url: embedded.redisUrl!, connectionName: "scenario", commandTimeoutMs: 5_000 };
  const redis = createRedis(connection, error => console.error(error.message));
  try {
    if (!(await redisIsReady(redis, 10_000))) throw new Error("Redis does not answer.");
    const results: Partial<Record<KeyChoice, ScenarioResult>> = {};
    for (const choice of choices) results[choice] = await runScenario(redis, choice, options);
    return results;
  } finally {
    redis.disconnect();
    await embedded.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function runScenario(
  redis: RedisClient,
  choice: KeyChoice,
  options: ScenarioOptions,
): Promise<ScenarioResult> {
  const { symbol, shards, seed } = options;
  const random = seeded(seed + 1);
  const name = `scenario-${randomUUID().slice(0, 8)}`;
  const log = new RedisLog(redis, { log: name, limits: KINESIS_LIMITS });
  await log.create(shards);
  const map = await log.readMap();
  const registry = new RedisProducerRegistry(redis, name);
  const engine = new ScenarioEngine(symbol);
  const perShard = new Map<string, number>();
  let throttled = 0;
  const producers = Array.from(
    { length: options.producers },
    () =>
      new ProducerLoops({
        ...{
          log,
          registry,
          clock: new SharedClock(),
          route: routeBy(choice, { symbol, shards, map, random }),
          // Keys are chosen once: nothing is ever moved.
          isPlaced: () => true,
        },
        // One order per record, as in the article: the limit of records is what is met.
        settings: {
          ...{ maxBuffered: BUFFER_PER_PRODUCER, backoffMs: 20, maxBackoffMs: 200 },
          ...{ maxRecordBytes: 1_048_576, maxOrdersPerRecord: 1, silenceMs: 200 },
        },
        ...{ lingerMs: 3, publishEveryMs: 10, idleMs: 60_000, onError: error => console.error(error) },
        onAppend(shardId, { taken }) {
          const count = taken.filter(Boolean).length;
          perShard.set(shardId, (perShard.get(shardId) ?? 0) + count);
          throttled += taken.length - count;
        },
      }),
  );
  const reader = await startReader(choice, { redis, name, log, map, registry, engine, symbol, random });

  const startMs = Date.now();
  let [durableAtBurst, burstEndMs, lost] = [0, 0, 0];
  const durable = () => producers.reduce((sum, { producer }) => sum + producer.durable, 0);
  const missing = new Set<string>();
  for (const { order, atMs, producer } of scenarioTraffic(options)) {
    const waitMs = startMs + atMs - Date.now();
    if (waitMs > 0) await new Promise(resolve => setTimeout(resolve, waitMs));
    if (burstEndMs === 0 && Date.now() - startMs > BURST_MS)
      [burstEndMs, durableAtBurst] = [Date.now(), durable()];
    // Who could not buy does not sell.
    if (missing.has(order.accountId)) lost += 1;
    else
      await producers[producer]!.submit([order]).catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error;
        lost += 1;
        missing.add(order.accountId);
      });
  }
  const perSecond = ((durable() - durableAtBurst) / (Date.now() - burstEndMs)) * 1_000;
  for (const producer of producers) await producer.stop(DRAIN_MS);
  await reader.drain(durable(), DRAIN_MS);

  const latencies = engine.latenciesMs.sort((a, b) => a - b);
  const at = (share: number) => round(latencies[Math.floor(latencies.length * share)] ?? 0);
  const records = [...perShard.values()];
  return {
    violations: engine.violations,
    throttled,
    lost: lost + durable() - engine.received,
    ordersPerSecond: Math.round(perSecond),
    capacityInShards: round(perSecond / KINESIS_LIMITS.recordsPerSecond),
    busiestShardShare: round(Math.max(...records) / records.reduce((sum, count) => sum + count, 0)),
    latencyP50Ms: at(0.5),
    latencyP99Ms: at(0.99),
  };
}

function routeBy(
  choice: KeyChoice,
  { symbol, shards, map, random }: { symbol: string; shards: number; map: ShardMap; random: () => number },
): () => SubKey {
  const pick = (subKeys: readonly SubKey[]) => subKeys[Math.floor(random() * subKeys.length)]!;
  if (choice === "random")
    return () => {
      const partitionKey = randomUUID();
      return { partitionKey, shardId: shardOfKey(map.open, partitionKey).id };
    };
  if (choice === "hash") {
    const [only] = placePlain(symbol, 1, map);
    return () => only!;
  }
  const subKeys =
    choice === "splitPlain" ? placePlain(symbol, shards, map) : placePlanned(symbol, shards, map);
  return () => pick(subKeys);
}

type ReaderDeps = {
  redis: RedisClient;
  name: string;
  log: RedisLog;
  map: ShardMap;
  registry: RedisProducerRegistry;
  engine: ScenarioEngine;
  symbol: string;
  random: () => number;
};

/** Split orders come through the aggregator; the article's first two scenarios as they arrive. */
async function startReader(choice: KeyChoice, deps: ReaderDeps) {
  const { redis, name, log, map, registry, engine, symbol, random } = deps;
  const onError = (error: unknown) => console.error(error);
  const loops: { stop(): Promise<void> }[] = [];
  const repeat = (what: string, everyMs: number, work: () => Promise<unknown>) => {
    const step = async () => {
      await work();
      return "idle" as const;
    };
    loops.push(runLoop({ name: what, everyMs, maxBackoffMs: 500, step, onError }));
  };
  if (choice === "random" || choice === "hash") {
    const arrivals = new ArrivalReader(log, map, engine);
    repeat("arrivals", 4, () => arrivals.drainOnce(random));
  } else {
    const pacemaker = new Pacemaker({ log, registry, silenceUs: SILENCE_US, minIntervalUs: 9_000 });
    const aggregator = await Aggregator.start({
      ...{ log, output: new RedisOrderedOutput(redis, name), side: new RedisSideStream(redis, name) },
      leases: new Map(Array.from({ length: PARTITIONS }, (_, partition) => [partition, 1])),
      nowUs: () => Date.now() * 1_000,
      settings: { readLimit: 500, maxWaiting: 500_000, maxBehind: Number.POSITIVE_INFINITY },
    });
    const ordered = new OrderedReader(redis, { log: name, symbol, engine });
    repeat("beat", 10, () => pacemaker.beatOnce());
    repeat("aggregate", 4, () => aggregator.step());
    repeat("ordered", 4, () => ordered.drainOnce());
  }
  return {
    async drain(expected: number, timeoutMs: number): Promise<void> {
      const deadline = Date.now() + timeoutMs;
      while (engine.received < expected && Date.now() < deadline)
        await new Promise(resolve => setTimeout(resolve, 20));
      await Promise.all(loops.map(loop => loop.stop()));
    },
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
