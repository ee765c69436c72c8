/** How keys are chosen: the article's two scenarios, and its answer with plain and with planned suffixes. */
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

/** What a shard of a scenario takes, as Kinesis has it. */
export const SHARD_RECORDS_PER_SECOND = 1_000;

/** What the article argues with. A figure is null as long as there is nothing to make it of. */
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
  /** Ratio of all records that went to the busiest shard. */
  busiestShardRatio: number;
  latencyP50Ms: number;
  latencyP99Ms: number;
};

export type ScenarioFigures = { [Name in keyof ScenarioResult]: ScenarioResult[Name] | null } & {
  /** Orders sent so far, and those that reached the engine. */
  sent: number;
  received: number;
  /** Records that each shard took, in the order of its shards. */
  recordsPerShard: number[];
};

/** The rate that keeps all shards busy and none full, if the load is spread evenly. */
export const fillingRate = (shards: number): number => Math.round(shards * SHARD_RECORDS_PER_SECOND * 0.94);
