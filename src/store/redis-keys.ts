/** Every Redis key of the product is made here. All keys of one shard share its hash tag. */

/** Two lower-case hex digits, `00` to `ff`. */
export function shardName(shard: number): string {
  return shard.toString(16).padStart(2, "0");
}

/** The Bloom filter of one shard (0-255) of one version. */
export function filterKey(shard: number, version: number): string {
  return `bf:usernames:{${shardName(shard)}}:v${version}`;
}

/** Matches the shards of all versions. */
export const FILTER_KEYS = "bf:usernames:{*}:v*";

/** The JSON that every reader follows: which version answers, and how it is laid out. */
export const FILTER_POINTER_KEY = "bf:usernames:pointer";

/** Prefix of the counters of shared rate limits. */
export const RATE_LIMIT_PREFIX = "rate";

/**
 * Telemetry lives in one slot, so that a flush is one atomic script and a chart one round trip. It is
 * a few hundred small fields a second at any load: there is no need to spread it over slots.
 */
const TELEMETRY = "{telemetry}";

/** Buckets of one name in one rollup, `window` counting hashes since 1970. */
export function rollupKey(rollup: string, id: string, window: number): string {
  return `${TELEMETRY}:${rollup}:${id}:${window}`;
}

/** The number of the last batch that a process has flushed. */
export function flushedKey(process: string): string {
  return `${TELEMETRY}:flushed:${process}`;
}

/** A hash of the server processes and the pointer each of them follows. */
export const READERS_KEY = `${TELEMETRY}:readers`;

/** Whose Redis it is. This mark decides; those of the hash tags follow it. */
export const OWNER_KEY = "floodgate:owner";

/** Matches the marks of all hash tags. */
export const OWNER_MARKS = "*}:owner";

/** The owner's mark in the hash tag of this key, under the same prefix. */
export function ownerMarkKey(key: string): string {
  const end = key.indexOf("}");
  return end < 0
    ? `${key.slice(0, key.lastIndexOf(":") + 1)}{${key}}:owner`
    : `${key.slice(0, end + 1)}:owner`;
}
