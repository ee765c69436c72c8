/** How keys are chosen: the article's two scenarios, and its solution with plain and with planned suffixes. */
export const KEY_CHOICES = ["random", "hash", "splitPlain", "splitPlanned"] as const;
export type KeyChoice = (typeof KEY_CHOICES)[number];

export type ScenarioOptions = {
  symbol: string;
  /** Orders per second that are sent. */
  rate: number;
  /** How long orders are sent. */
  seconds: number;
  /** Of the log; each takes SHARD_RECORDS_PER_SECOND and 1 MB/s. */
  shards: number;
  producers: number;
  /** The same seed is the same traffic. */
  seed: number;
};

/** Kinesis' limit of records for one shard. */
export const SHARD_RECORDS_PER_SECOND = 1_000;

/** The figures that the article compares. */
export type ScenarioResult = {
  /** Sales that reached the engine before their purchase. */
  violations: number;
  /** Records that met a shard's limit and were retried. */
  throttled: number;
  /** Orders that were refused with BUSY, and sales whose purchase was refused: never accepted, not retried. */
  turnedAway: number;
  /** Orders that were accepted and never reached the engine: must be 0. */
  lost: number;
  /** Durable orders per second after the first burst. */
  ordersPerSecond: number;
  /** The same in multiples of one shard's 1,000 records per second. */
  capacityInShards: number;
  /** Ratio of all records that the busiest shard took. */
  busiestShardRatio: number;
  latencyP50Ms: number;
  latencyP99Ms: number;
};

/** The same while a scenario runs. Null: nothing is measured yet. `lost` is known at the end. */
export type ScenarioFigures = { [Name in keyof ScenarioResult]: ScenarioResult[Name] | null } & {
  /** Orders sent so far, and those that reached the engine. */
  sent: number;
  received: number;
  /** Records that each shard took, in the order of its shards. */
  recordsPerShard: number[];
};

/** The rate that keeps all shards busy and none full, if the load is spread evenly. */
export const fillingRate = (shards: number): number => Math.round(shards * SHARD_RECORDS_PER_SECOND * 0.94);
