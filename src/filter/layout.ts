import { hash } from "node:crypto";
import { murmur64a, remainder, type Word64 } from "./murmur64a";

/** Shards of every version. The shard of a name never changes. */
export const SHARD_COUNT = 256;

export const ALL_SHARDS: number[] = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);

export type EngineName = "redisbloom" | "bitmap";

/** One version of the filter, as Postgres and the pointer describe it. */
export type FilterVersion = {
  version: number;
  engine: EngineName;
  /** Names that one shard can hold at the configured error rate. */
  shardCapacity: number;
  /** False-positive rate of a full shard, between 0 and 1. */
  errorRate: number;
};

/** How many bits a shard has, and how many of them each name sets. */
export type ShardLayout = { hashes: number; bits: number; bytes: number };

/** First byte of SHA-256 of the username key. */
export function shardOf(key: string): number {
  return hash("sha256", key, "buffer")[0]!;
}

/**
 * The sizes that BF.RESERVE … NONSCALING chooses (RedisBloom deps/bloom/bloom.c, bloom_init
 * with NOROUND): bits per name = -ln(error) / ln(2)^2, rounded up to whole 64-bit words.
 */
export function shardLayout({
  shardCapacity,
  errorRate,
}: Pick<FilterVersion, "shardCapacity" | "errorRate">): ShardLayout {
  const bitsPerName = -Math.log(errorRate) / 0.480453013918201;
  const bytes = Math.ceil(Math.max(1, Math.floor(shardCapacity * bitsPerName)) / 64) * 8;
  // biome-ignore lint/suspicious/noApproximativeNumericConstant: RedisBloom's own constant, digit for digit
  return { hashes: Math.ceil(0.693147180559945 * bitsPerName), bits: bytes * 8, bytes };
}

/**
 * Capacity of one shard when SHA-256 distributes `capacity` names: the mean, five standard deviations
 * and the sentinel. 10M names: 2.6% over the mean; 1M: 8%.
 */
export function shardCapacityFor(capacity: number): number {
  const mean = capacity / SHARD_COUNT;
  return Math.ceil(mean + 5 * Math.sqrt(mean)) + 1;
}

const SEED: Word64 = { hi: 0xc6a4a793, lo: 0x5bd1e995 };
const encoder = new TextEncoder();

/**
 * The bits an item sets, RedisBloom's scheme: (a + i*b) mod 2^64 mod bits for i < hashes.
 * Bit x is bit x%8, counted from the lowest, of byte x/8.
 */
export function bitsOf(item: string, layout: ShardLayout): number[] {
  const bytes = encoder.encode(item);
  const a = murmur64a(bytes, SEED);
  const b = murmur64a(bytes, a);
  const offsets = new Array<number>(layout.hashes);
  const x: Word64 = { hi: a.hi, lo: a.lo };
  for (let i = 0; i < layout.hashes; i += 1) {
    offsets[i] = remainder(x, layout.bits);
    const low = x.lo + b.lo;
    x.lo = low >>> 0;
    x.hi = (x.hi + b.hi + (low > 0xffffffff ? 1 : 0)) >>> 0;
  }
  return offsets;
}

/** An item of every sealed shard. No username key can equal it: a key has no "#" and no ":". */
export function sentinelOf(version: number): string {
  return `#sentinel:v${version}`;
}
