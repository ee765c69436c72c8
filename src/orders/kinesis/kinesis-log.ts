import type { ShardMap } from "../../domain/orders/hash-range";
import {
  type Append,
  type AppendResult,
  END,
  type ReshardableLog,
  recordBytes,
  type ShardBatch,
  START,
  type WatermarkMeta,
} from "../../domain/orders/order-log";
import { applyShardChange, type ShardChange } from "../../domain/orders/shard-change";
import type { KinesisCalls } from "./kinesis-calls";
import type { PutBatcher } from "./put-batcher";
import type { ShardList } from "./shard-list";
import type { OnProblem } from "./shard-reader";
import type { ShardReaders } from "./shard-readers";
import { splitCalls } from "./split-calls";
import type { WatermarkWriter } from "./watermark-writer";

export type KinesisLogDeps = {
  calls: KinesisCalls;
  puts: PutBatcher;
  shards: ShardList;
  watermarks: WatermarkWriter;
  readers: ShardReaders;
  onProblem: OnProblem;
};

/**
 * The order log in a Kinesis stream. A shard's id is its number ("7"), a position is a sequence number.
 * Kinesis has no fences and no conditional puts: see docs/adr/0020.
 */
export class KinesisLog implements ReshardableLog {
  readonly fences = false;

  constructor(private readonly deps: KinesisLogDeps) {}

  readMap(): Promise<ShardMap> {
    return this.deps.shards.readMap();
  }

  readableShards(): Promise<string[]> {
    return this.deps.shards.readable();
  }

  /**
   * A record that another shard has taken does not count as taken, though it is in the log: its producer
   * publishes the new map first and sends it again. Readers drop the duplicate.
   */
  async append({ shardId, records }: Append): Promise<AppendResult> {
    const { shards, onProblem } = this.deps;
    const taken = records.map(() => false);
    if (shards.isClosed(shardId)) return { outcome: "closed", taken, retryAfterMs: null };
    const { calls, oversized } = splitCalls(records);
    for (const i of oversized)
      onProblem("record exceeds the size limit of Kinesis", {
        shardId,
        bytes: recordBytes(records[i]!),
        partitionKey: records[i]!.partitionKey,
      });
    let outcome: AppendResult["outcome"] = "ok";
    for (const [at, call] of calls.entries()) {
      try {
        const answers = await this.deps.puts.put(call.map(i => records[i]!));
        answers.forEach((answer, n) => {
          if ("fault" in answer) {
            if (answer.fault === "throttled" && outcome === "ok") outcome = "throttled";
          } else if (shards.noteTaken(shardId, answer.shardName)) outcome = "closed";
          else taken[call[n]!] = true;
        });
      } catch (error) {
        onProblem("append to shard failed", { shardId, err: error });
        // The outcome of the calls before is known.
        if (at === 0) throw error;
        break;
      }
      if (outcome !== "ok") break;
    }
    return { outcome, taken, retryAfterMs: null };
  }

  appendWatermark(shardId: string, watermark: Buffer, meta: WatermarkMeta): Promise<void> {
    return this.deps.watermarks.write(shardId, watermark, meta);
  }

  /** Kinesis cannot refuse one producer: readers turn late orders into dead letters. */
  async fence(): Promise<void> {}

  /** A Kinesis stream remembers no producers. */
  async forgetProducers(): Promise<void> {}

  async read(after: ReadonlyMap<string, string>, limit: number): Promise<ShardBatch[]> {
    return this.deps.readers.read(after, limit);
  }

  isAfter(position: string, other: string): boolean {
    return rankOf(position) > rankOf(other);
  }

  /**
   * Starts a change of the shards; Kinesis needs up to a minute for it. Kinesis has no compare-and-set: a
   * stream that is changing refuses the next change, and the version of the list is read before.
   */
  async reshard(change: ShardChange, expectedVersion: number): Promise<boolean> {
    const { calls, shards } = this.deps;
    const map = await shards.readMap();
    if (map.version !== expectedVersion) return false;
    const { closed, opened } = applyShardChange(map, change);
    if (change.kind === "split") return calls.splitShard(change.shardId, opened[1]!.startHash);
    return calls.mergeShards(closed[0]!.id, closed[1]!.id);
  }

  /** Kinesis trims by age alone; only the watermark turns of ended shards are removed. */
  async trim(passed: ReadonlyMap<string, string>): Promise<void> {
    await this.deps.watermarks.forget(
      [...passed].filter(([, position]) => position === END).map(([id]) => id),
    );
  }
}

/** Above every sequence number: they have at most 129 digits. */
const AFTER_ALL = 10n ** 129n;

/** Sequence numbers rise within a shard; they are too long for Number, and text sorts them wrongly. */
function rankOf(position: string): bigint {
  if (position === START) return -1n;
  return position === END ? AFTER_ALL : BigInt(position);
}
