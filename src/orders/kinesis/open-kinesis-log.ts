import type { ReshardableLog } from "../../domain/orders/order-log";
import type { RedisClient } from "../../store/redis";
import { FanoutConsumer } from "./fanout-consumer";
import { KinesisCalls } from "./kinesis-calls";
import { createKinesisClients } from "./kinesis-client";
import { KinesisLog } from "./kinesis-log";
import { PolledShard } from "./polled-shard";
import { PutBatcher } from "./put-batcher";
import { ShardList } from "./shard-list";
import type { OnProblem } from "./shard-reader";
import { ShardReaders } from "./shard-readers";
import { SubscribedShard } from "./subscribed-shard";
import { thinProblems } from "./thin-problems";
import { WatermarkWriter } from "./watermark-writer";

export type KinesisLogOptions = {
  stream: string;
  /** Another endpoint than AWS's. */
  endpoint?: string;
  /** The log's name in Redis. */
  name: string;
  redis: RedisClient;
  reader: "polling" | "fanout";
  /** The name under which a process with enhanced fan-out reads. */
  consumer: string;
  onProblem: OnProblem;
};

export type OpenedKinesisLog = {
  log: ReshardableLog;
  /** Rejects unless the stream is there and may be listed. */
  check(): Promise<void>;
  close(): void;
};

/** Builds the log from its parts. Opens no connection. */
export function openKinesisLog(options: KinesisLogOptions): OpenedKinesisLog {
  const { stream, endpoint, name, redis, reader, consumer } = options;
  const onProblem = thinProblems(options.onProblem);
  const clients = createKinesisClients(endpoint);
  const calls = new KinesisCalls(stream, clients);
  const shards = new ShardList(calls);
  const subscriber = new FanoutConsumer(clients, { stream, consumer });
  const readers = new ShardReaders((shardId, after) =>
    reader === "fanout"
      ? new SubscribedShard(shardId, after, { stream, subscriber, onProblem })
      : new PolledShard(shardId, after, { calls, onProblem }),
  );
  const watermarks = new WatermarkWriter({ calls, shards, redis, log: name, onProblem });
  return {
    log: new KinesisLog({ calls, puts: new PutBatcher(calls), shards, watermarks, readers, onProblem }),
    async check() {
      await calls.listShards();
    },
    close() {
      readers.close();
      clients.destroy();
    },
  };
}
