import { createHash } from "node:crypto";

/** Kinesis spreads partition keys by MD5 over the numbers from 0 to 2^128 - 1. */
export const HASH_SPACE = 1n << 128n;

/** A shard and the hash keys it takes, both ends included. */
export type Shard = { id: string; startHash: bigint; endHash: bigint };

/** The shards that take records at the moment. `version` rises with each reshard. */
export type ShardMap = { version: number; open: readonly Shard[] };

/** As Kinesis maps a partition key (UTF-8) to a hash key. */
export function hashKeyOf(partitionKey: string): bigint {
  return BigInt(`0x${createHash("md5").update(partitionKey, "utf8").digest("hex")}`);
}

/** `count` even ranges, as CreateStream makes them: shard i starts at i x floor(2^128 / count). */
export function evenShards(count: number, name: (index: number) => string = String): Shard[] {
  const size = HASH_SPACE / BigInt(count);
  return Array.from({ length: count }, (_, i) => ({
    id: name(i),
    startHash: size * BigInt(i),
    endHash: i === count - 1 ? HASH_SPACE - 1n : size * BigInt(i + 1) - 1n,
  }));
}

/** @throws Error when the map has a hole, which a shard map never has */
export function shardOfHash(shards: readonly Shard[], hash: bigint): Shard {
  const shard = shards.find(({ startHash, endHash }) => startHash <= hash && hash <= endHash);
  if (!shard) throw new Error(`no shard takes the hash key ${hash}`);
  return shard;
}

export function shardOfKey(shards: readonly Shard[], partitionKey: string): Shard {
  return shardOfHash(shards, hashKeyOf(partitionKey));
}
