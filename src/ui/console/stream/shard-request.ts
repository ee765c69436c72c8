/** The changes of shards that a dialog asks for. */
export const SHARD_REQUESTS = ["split", "merge"] as const;
export type ShardRequest = (typeof SHARD_REQUESTS)[number];
