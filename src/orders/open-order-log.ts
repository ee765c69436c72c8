import type { OrderLog } from "../domain/order-log";
import { logSourceKey } from "../store/order-keys";
import type { RedisClient } from "../store/redis";
import { BeatWriter } from "./kinesis/beat-writer";
import { FanoutConsumer } from "./kinesis/fanout-consumer";
import { KinesisCalls } from "./kinesis/kinesis-calls";
import { createKinesisClients } from "./kinesis/kinesis-client";
import { KinesisSetupError } from "./kinesis/kinesis-fault";
import { KinesisLog } from "./kinesis/kinesis-log";
import { PolledShard } from "./kinesis/polled-shard";
import { ShardList } from "./kinesis/shard-list";
import type { OnProblem } from "./kinesis/shard-reader";
import { ShardReaders } from "./kinesis/shard-readers";
import { SubscribedShard } from "./kinesis/subscribed-shard";
import { thinProblems } from "./kinesis/thin-problems";
import type { OrderLogSettings } from "./order-log-settings";
import { RedisLog } from "./redis-log";
import { shardLimitsOf } from "./shard-limits";

export type OpenedLog = {
  log: OrderLog;
  /** Whether records are in Redis, where they take its memory and can be counted. */
  isInRedis: boolean;
  /**
   * Sees that the stream is there and the one that Redis knows; a log in Redis needs nothing.
   * @throws KinesisSetupError that says what to do
   */
  check(): Promise<void>;
  /** For a process that reads: makes the shards of a new log, and takes the name for this stream. */
  prepare(shards: number): Promise<void>;
  close(): void;
};

export type LogReading = { reader: "polling" | "fanout"; consumer: string };

type Deps = {
  redis: RedisClient;
  onProblem: OnProblem;
  /** How a process that reads does it; a process that only writes has no need to say. */
  reading?: LogReading;
};

/** The log that the environment names. Opens no connection. */
export function openOrderLog(settings: OrderLogSettings, deps: Deps): OpenedLog {
  return settings.ORDER_LOG === "kinesis" ? openKinesis(settings, deps) : openRedis(settings, deps.redis);
}

function openRedis(settings: OrderLogSettings, redis: RedisClient): OpenedLog {
  const { ORDER_LOG_NAME: name, ORDER_LIMITS: limits } = settings;
  const log = new RedisLog(redis, { log: name, limits: shardLimitsOf(limits) });
  return { log, isInRedis: true, async check() {}, prepare: shards => log.create(shards), close() {} };
}

function openKinesis(settings: OrderLogSettings, { redis, reading, ...deps }: Deps): OpenedLog {
  const { ORDER_LOG_NAME: name, KINESIS_STREAM: stream = "" } = settings;
  const onProblem = thinProblems(deps.onProblem);
  const clients = createKinesisClients(settings.KINESIS_ENDPOINT);
  const calls = new KinesisCalls(stream, clients);
  const shards = new ShardList(calls);
  const subscriber = new FanoutConsumer(clients, { stream, consumer: reading?.consumer ?? name });
  const readers = new ShardReaders((shardId, after) =>
    reading?.reader === "fanout"
      ? new SubscribedShard(shardId, after, { stream, subscriber, onProblem })
      : new PolledShard(shardId, after, { calls, onProblem }),
  );
  const beats = new BeatWriter({ calls, shards, redis, log: name, onProblem });
  const source = `kinesis ${stream}`;
  const check = async () => {
    await calls.listShards();
    await checkSource(redis, name, source);
  };
  return {
    log: new KinesisLog({ calls, shards, beats, readers, onProblem }),
    isInRedis: false,
    check,
    async prepare() {
      await check();
      await redis.set(logSourceKey(name), source, "NX");
    },
    close() {
      readers.close();
      clients.destroy();
    },
  };
}

/** What Redis knows of a log are places in one stream: they mean nothing in another one. */
async function checkSource(redis: RedisClient, name: string, source: string): Promise<void> {
  const known = await redis.get(logSourceKey(name));
  if (known === null || known === source) return;
  throw new KinesisSetupError(
    `The order log “${name}” is in ${known}, not in ${source}. To do: set KINESIS_STREAM back, or follow ` +
      "“Moving to another stream” in docs/adr/0024-orders-in-kinesis.md.",
  );
}
