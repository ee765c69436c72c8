import type { ShardMap } from "./hash-range";
import type { ShardChange } from "./shard-change";

/** A record to append. Its size is the data plus the key's UTF-8 bytes, as Kinesis counts. */
export type NewRecord = { partitionKey: string; data: Buffer };

/** Kinesis' limits of PutRecords. */
export const MAX_RECORD_BYTES = 1_048_576;
export const MAX_CALL_RECORDS = 500;
export const MAX_CALL_BYTES = 5 * 1_048_576;

/** The bytes that a record counts against limits. */
export function recordBytes({ partitionKey, data }: NewRecord): number {
  return data.length + Buffer.byteLength(partitionKey, "utf8");
}

export type Append = {
  shardId: string;
  producer: number;
  /** The number of the first record: a producer counts its records per shard, so that repeats are found. */
  firstNumber: number;
  /** Tells two producers with the same number apart. */
  incarnation?: string;
  records: readonly NewRecord[];
};

/**
 * `taken`: which records are durable now, in the order they were given. `ok`: the others, if any, failed
 * inside the log. `throttled`: the others met a limit. `fenced`: this producer was declared dead here, or
 * another producer has its number. `forgotten`: as `fenced`, but too long ago to say what was taken before.
 * `closed`: the shard takes no more records.
 */
export type AppendResult = {
  outcome: "ok" | "throttled" | "fenced" | "forgotten" | "closed";
  taken: readonly boolean[];
  /** When to try a throttled record again, if the log knows. */
  retryAfterMs: number | null;
};

/**
 * A record that was read. Positions are opaque. At least `missing` records before it were lost to trimming;
 * a log that does not number its records says 1.
 */
export type ReadRecord = { position: string; data: Buffer; missing: number };

export type ShardBatch = { shardId: string; records: ReadRecord[] };

/** Before the first record of a shard. */
export const START = "";
/** After the last record of a shard that was closed and is empty. */
export const END = "end";

export type WatermarkMeta = { readAtUs: number; minIntervalUs: number };

/** The log of unordered records. Every call has its own timeout and then rejects. */
export interface OrderLog {
  /** Whether append refuses a fenced producer. In a log without fences readers find the late records. */
  readonly fences: boolean;
  /** Which shards take records. */
  readMap(): Promise<ShardMap>;
  /** Every shard that may hold unread records, closed ones included. */
  readableShards(): Promise<string[]>;
  append(append: Append): Promise<AppendResult>;
  /** Writes a watermark into a shard, unless a newer one, or one younger than `minIntervalUs`, is there. */
  appendWatermark(shardId: string, watermark: Buffer, meta: WatermarkMeta): Promise<void>;
  fence(shardId: string, producer: number): Promise<void>;
  /** Makes a shard forget producers that have left, once it remembers many. `last`: the newest number. */
  forgetProducers(shardId: string, known: { alive: readonly number[]; last: number }): Promise<void>;
  /** Records after the given positions, some or none of each shard. Does not wait for new ones. */
  read(after: ReadonlyMap<string, string>, limit: number): Promise<ShardBatch[]>;
  isAfter(position: string, other: string): boolean;
  /** When the log took the record at this position, ms since 1970. Absent in logs that do not say. */
  writtenMs?(position: string): number;
  /** The Redis streams of these shards, each with the id behind which its next record will be. Absent elsewhere. */
  streamsBehind?(after: ReadonlyMap<string, string>): Map<string, string>;
  /** All readers have passed these positions: records before them may go, and at END the shard too. */
  trim(passed: ReadonlyMap<string, string>): Promise<void>;
}

/** A log whose shards an operator can change. */
export interface ReshardableLog extends OrderLog {
  /**
   * Splits a shard or merges two, if the map still has the expected version: the old shards are closed behind
   * their last record and stay readable, and producers and readers follow.
   * False: the map has another version, or another change is under way.
   * @throws AppError as applyShardChange; OrderLogSetupError when the log's owner has to allow it
   */
  reshard(change: ShardChange, expectedVersion: number): Promise<boolean>;
}
