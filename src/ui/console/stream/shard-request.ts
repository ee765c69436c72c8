/** What the dialog of a shard asks for. */
export type ShardRequest = "split" | "merge";
