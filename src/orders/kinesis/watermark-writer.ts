import { type BeatMeta, MAX_CALL_RECORDS } from "../../domain/orders/order-log";
import { beatTurnsKey } from "../../store/order-keys";
import type { RedisClient } from "../../store/redis";
import type { KinesisCalls, PutEntry } from "./kinesis-calls";
import type { ShardList } from "./shard-list";
import type { OnProblem } from "./shard-reader";
import { splitCalls } from "./split-calls";

type Waiting = {
  shardId: string;
  beat: Buffer;
  readAtUs: number;
  minIntervalUs: number;
  resolve: () => void;
  reject: (error: unknown) => void;
};

export type BeatWriterDeps = {
  calls: KinesisCalls;
  shards: ShardList;
  redis: RedisClient;
  log: string;
  onProblem: OnProblem;
};

const BEAT_KEY = "beat";

/**
 * Puts beats into shards, those of one turn of the event loop together. Kinesis has no conditional put:
 * whose turn it is, however many aggregators there are, Redis says.
 */
export class BeatWriter {
  private waiting: Waiting[] = [];

  constructor(private readonly deps: BeatWriterDeps) {}

  /** Rejects when the shard takes nothing any more, or when nobody answers. A throttled beat is left out. */
  write(
    shardId: string,
    beat: Buffer,
    { readAtUs, minIntervalUs }: Pick<BeatMeta, "readAtUs" | "minIntervalUs">,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.waiting.length === 0) queueMicrotask(() => this.flush());
      this.waiting.push({ shardId, beat, readAtUs, minIntervalUs, resolve, reject });
    });
  }

  /** These shards are closed and read. */
  async forget(shardIds: readonly string[]): Promise<void> {
    const { redis, log } = this.deps;
    if (shardIds.length > 0) await redis.hdel(beatTurnsKey(log), ...shardIds);
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
    const entries = granted.map(({ shardId, beat }) => this.entryOf(shardId, beat));
    for (const call of splitCalls(entries).calls) {
      const answers = await this.deps.calls.putRecords(call.map(i => entries[i]!));
      answers.forEach((answer, at) => {
        const { shardId, reject } = granted[call[at]!]!;
        if ("fault" in answer) this.deps.onProblem(`shard ${shardId} took no beat`, answer.fault);
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
    const turns = (await redis.beatTurns(beatTurnsKey(log), minIntervalUs, ...args)) as number[];
    return batch.filter((_, i) => turns[i] === 1);
  }

  private entryOf(shardId: string, beat: Buffer): PutEntry {
    const hashKey = this.deps.shards.startHashOf(shardId);
    if (hashKey === null) throw new Error(`shard ${shardId} was in no list of the stream's shards`);
    return { partitionKey: BEAT_KEY, data: beat, hashKey };
  }
}
