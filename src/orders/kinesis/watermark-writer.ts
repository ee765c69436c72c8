import { MAX_CALL_RECORDS, type WatermarkMeta } from "../../domain/orders/order-log";
import { watermarkTurnsKey } from "../../store/order-keys";
import type { RedisClient } from "../../store/redis";
import type { KinesisCalls, PutEntry } from "./kinesis-calls";
import type { ShardList } from "./shard-list";
import type { OnProblem } from "./shard-reader";
import { splitCalls } from "./split-calls";

type Waiting = {
  shardId: string;
  watermark: Buffer;
  readAtUs: number;
  minIntervalUs: number;
  resolve: () => void;
  reject: (error: unknown) => void;
};

export type WatermarkWriterDeps = {
  calls: KinesisCalls;
  shards: ShardList;
  redis: RedisClient;
  log: string;
  onProblem: OnProblem;
};

const WATERMARK_KEY = "watermark";

/**
 * Puts watermarks into shards; those of one turn of the event loop share a call. Kinesis has no conditional
 * put, so a hash in Redis decides which aggregator writes next.
 */
export class WatermarkWriter {
  private waiting: Waiting[] = [];

  constructor(private readonly deps: WatermarkWriterDeps) {}

  /** Rejects when the shard is closed, or Redis or Kinesis does not answer. A throttled watermark is dropped. */
  write(
    shardId: string,
    watermark: Buffer,
    { readAtUs, minIntervalUs }: Pick<WatermarkMeta, "readAtUs" | "minIntervalUs">,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.waiting.length === 0) queueMicrotask(() => this.flush());
      this.waiting.push({ shardId, watermark, readAtUs, minIntervalUs, resolve, reject });
    });
  }

  /** Removes the turns of shards that are closed and fully read. */
  async forget(shardIds: readonly string[]): Promise<void> {
    const { redis, log } = this.deps;
    if (shardIds.length > 0) await redis.write(watermarkTurnsKey(log), "HDEL", ...shardIds);
  }

  private flush(): void {
    const batch = this.waiting;
    this.waiting = [];
    for (let from = 0; from < batch.length; from += MAX_CALL_RECORDS) {
      const some = batch.slice(from, from + MAX_CALL_RECORDS);
      this.put(some).catch(error => {
        for (const { reject } of some) reject(error);
      });
    }
  }

  private async put(batch: readonly Waiting[]): Promise<void> {
    const granted = await this.turnsOf(batch);
    const entries = granted.map(({ shardId, watermark }) => this.entryOf(shardId, watermark));
    for (const call of splitCalls(entries).calls) {
      const answers = await this.deps.calls.putRecords(call.map(i => entries[i]!));
      answers.forEach((answer, at) => {
        const { shardId, reject } = granted[call[at]!]!;
        if ("fault" in answer) this.deps.onProblem("watermark not written", { shardId, fault: answer.fault });
        else if (this.deps.shards.noteTaken(shardId, answer.shardName))
          reject(new Error(`shard ${shardId} takes no records any more`));
      });
    }
    for (const { resolve } of batch) resolve();
  }

  private async turnsOf(batch: readonly Waiting[]): Promise<Waiting[]> {
    const { redis, log } = this.deps;
    const minIntervalUs = Math.max(...batch.map(one => one.minIntervalUs));
    const args = batch.flatMap(({ shardId, readAtUs }) => [shardId, readAtUs]);
    const turns = (await redis.watermarkTurns(watermarkTurnsKey(log), minIntervalUs, ...args)) as number[];
    return batch.filter((_, i) => turns[i] === 1);
  }

  private entryOf(shardId: string, watermark: Buffer): PutEntry {
    const hashKey = this.deps.shards.startHashOf(shardId);
    if (hashKey === null) throw new Error(`shard ${shardId} was in no list of the stream's shards`);
    return { partitionKey: WATERMARK_KEY, data: watermark, hashKey };
  }
}
