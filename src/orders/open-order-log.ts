import type { ReshardableLog } from "../domain/orders/order-log";
import { logSourceKey } from "../store/order-keys";
import type { RedisClient } from "../store/redis";
import { openKinesisLog } from "./kinesis/open-kinesis-log";
import type { OnProblem } from "./kinesis/shard-reader";
import { IN_REDIS, requireSource } from "./log-source";
import type { OrderLogSettings } from "./order-log-settings";
import { RedisLog } from "./redis-log";
import { shardLimitsOf } from "./shard-limits";

export type OpenedLog = {
  log: ReshardableLog;
  /** Whether the records are in Redis, where they use memory and can be counted. */
  isInRedis: boolean;
  /**
   * Checks that the log has the source of this process.
   * @throws OrderLogSetupError that says what to do
   */
  check(): Promise<void>;
  /** For a process that reads: checks, creates the shards of a new log, and stores its source. */
  prepare(shards: number): Promise<void>;
  close(): void;
};

export type LogReading = { reader: "polling" | "fanout"; consumer: string };

type Deps = {
  redis: RedisClient;
  onProblem: OnProblem;
  /** How the process reads; a process that only writes leaves it out. */
  reading?: LogReading;
};

/** The log that the environment names. Opens no connection. */
export function openOrderLog(settings: OrderLogSettings, deps: Deps): OpenedLog {
  return settings.ORDER_LOG === "kinesis" ? openKinesis(settings, deps) : openRedis(settings, deps.redis);
}

function openRedis(settings: OrderLogSettings, redis: RedisClient): OpenedLog {
  const { ORDER_LOG_NAME: name, ORDER_LIMITS: limits } = settings;
  const log = new RedisLog(redis, { log: name, limits: shardLimitsOf(limits) });
  const check = () => requireSource(redis, name, IN_REDIS);
  return {
    log,
    isInRedis: true,
    check,
    async prepare(shards) {
      await check();
      await log.create(shards);
    },
    close() {},
  };
}

function openKinesis(settings: OrderLogSettings, { redis, onProblem, reading }: Deps): OpenedLog {
  const { ORDER_LOG_NAME: name, KINESIS_STREAM: stream = "", KINESIS_ENDPOINT: endpoint } = settings;
  const { reader, consumer } = reading ?? { reader: "polling", consumer: name };
  const opened = openKinesisLog({
    stream,
    name,
    redis,
    reader,
    consumer,
    onProblem,
    ...(endpoint === undefined ? {} : { endpoint }),
  });
  const source = `Kinesis ${stream}`;
  let isPrepared = false;
  const check = async () => {
    await opened.check();
    await requireSource(redis, name, source);
  };
  return {
    log: opened.log,
    isInRedis: false,
    check,
    close: opened.close,
    async prepare() {
      if (isPrepared) return;
      await check();
      await redis.write(logSourceKey(name), "SET", source, "NX");
      isPrepared = true;
    },
  };
}
