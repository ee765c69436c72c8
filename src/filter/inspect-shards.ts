import type { RedisClient } from "../store/redis";
import { filterKey } from "../store/redis-keys";
import { inBatches } from "./in-batches";
import { ALL_SHARDS, type FilterVersion, sentinelOf, shardLayout } from "./layout";

/** How full one shard is; null where it could not be read. */
export type ShardFill = {
  shard: number;
  items: number | null;
  /** Items divided by the shard's capacity. */
  fillRatio: number | null;
  /** Expected ratio of absent names with the result "maybe". */
  falsePositiveRate: number | null;
};

/**
 * Items and expected false positives of all 256 shards. RedisBloom counts its items; a bitmap's are
 * estimated from its set bits X: n = -m/k ln(1 - X/m) (Swamidass and Baldi, 2007). The rate is that of
 * m bits with n items of k bits each: (1 - e^(-kn/m))^k.
 */
export async function inspectShards(redis: RedisClient, version: FilterVersion): Promise<ShardFill[]> {
  const { bits, hashes } = shardLayout(version);
  return inBatches(ALL_SHARDS, async shard => {
    const items = await countItems(redis, version, shard).catch(() => null);
    if (items === null) return { shard, items, fillRatio: null, falsePositiveRate: null };
    const falsePositiveRate = (1 - Math.exp((-hashes * items) / bits)) ** hashes;
    return { shard, items, fillRatio: items / version.shardCapacity, falsePositiveRate };
  });
}

async function countItems(redis: RedisClient, version: FilterVersion, shard: number): Promise<number | null> {
  const key = filterKey(shard, version.version);
  if (version.engine === "redisbloom") {
    const reply = await redis.bloomProbe(key, sentinelOf(version.version));
    return Array.isArray(reply) && typeof reply[2] === "number" && reply[2] >= 0 ? reply[2] : null;
  }
  const { bits, bytes, hashes } = shardLayout(version);
  const [length, set] = await Promise.all([redis.strlen(key), redis.bitcount(key, 0, bytes - 1)]);
  if (length === 0) return null;
  return Math.round((-bits / hashes) * Math.log(1 - Math.min(set, bits - 1) / bits));
}
