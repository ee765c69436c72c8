import type { ShardMap } from "./hash-range";

/** One record on its way in: accounted, as Kinesis does it, as data plus the key's UTF-8 bytes. */
export type NewRecord = { partitionKey: string; data: Buffer };

/** Kinesis' limits of PutRecords. */
export const MAX_RECORD_BYTES = 1_048_576;
export const MAX_CALL_RECORDS = 500;
export const MAX_CALL_BYTES = 5 * 1_048_576;

/** What a record counts against limits of bytes. */
export function recordBytes({ partitionKey, data }: NewRecord): number {
  return data.length + Buffer.byteLength(partitionKey, "utf8");
}

export type Append = {
  shardId: string;
  producer: number;
  /** The number of the first record: a producer counts its records per shard, so repeats are told. */
  firstNumber: number;
  /** Tells apart two producers that were given one number. */
  incarnation?: string;
  records: readonly NewRecord[];
};

/**
 * `taken`: which records are durable now, in the order they were given. `ok`: the others, if any, failed
 * inside the log. `throttled`: the others met a limit. `fenced`: this producer was declared dead here, or
 * its number is somebody else's. `forgotten`: as `fenced`, but too long ago to say what was taken before.
 * `closed`: the shard takes no more records.
 */
export type AppendResult = {
  outcome: "ok" | "throttled" | "fenced" | "forgotten" | "closed";
  taken: readonly boolean[];
  /** When a throttled record has a chance again, if the log knows. */
  retryAfterMs: number | null;
};

/**
 * A record on its way out. Positions are opaque; `missing` records before it were lost to trimming, at
 * least: a log that does not number its records says 1.
 */
export type ReadRecord = { position: string; data: Buffer; missing: number };

export type ShardBatch = { shardId: string; records: ReadRecord[] };

/** Before the first record of a shard. */
export const START = "";
/** After the last record of a shard that was closed and is empty. */
export const END = "end";

export type WatermarkMeta = { readAtUs: number; minIntervalUs: number };

/** The log of unordered records. Every call has a timeout of its own and rejects when it is over. */
export interface OrderLog {
  /** `fences`: append refuses a producer that was fenced. Without it late records are found by readers. */
  readonly fences: boolean;
  /** Which shards take records. */
  readMap(): Promise<ShardMap>;
  /** Every shard that may hold unread records, closed ones included. */
  readableShards(): Promise<string[]>;
  append(append: Append): Promise<AppendResult>;
  /** Writes a watermark into a shard, unless one newer or younger than `minIntervalUs` is there. */
  appendWatermark(shardId: string, watermark: Buffer, meta: WatermarkMeta): Promise<void>;
  fence(shardId: string, producer: number): Promise<void>;
  /** Lets a shard forget producers that have left, once it remembers many. `last`: the newest number given. */
  forgetProducers(shardId: string, known: { alive: readonly number[]; last: number }): Promise<void>;
  /** Records after the positions given, some or none of each shard; does not wait for new ones. */
  read(after: ReadonlyMap<string, string>, limit: number): Promise<ShardBatch[]>;
  isAfter(position: string, other: string): boolean;
  /** When the log took the record at this position, ms since 1970; absent where it does not say. */
  writtenMs?(position: string): number;
  /** Every reader has passed these positions: what is before them may go, and at END the shard itself. */
  trim(passed: ReadonlyMap<string, string>): Promise<void>;
}
