import { murmur64a } from "./murmur64a";

const SHARDS: usize = 256;
const SEED: u64 = 0xc6a4a7935bd1e995;
/** One entry of the table of shards: address of its bits (0: skip the shard), lock, names, items. */
const ENTRY_BYTES: usize = 16;
const LOCK: usize = 4;
const NAMES: usize = 8;
const ITEMS: usize = 12;
/** The two hashes of one name. */
const HASHES_BYTES: usize = 16;
/** A lock is released within microseconds, unless its holder's thread was suspended. */
const LOCK_WAIT_NS: i64 = 1_000_000;

/** Bits of every shard, how many of them a name sets, and 2^64 mod bits. */
let bits: u64 = 0;
let hashes: u32 = 0;
let wrap: u64 = 0;
/** The table of shards. */
let table: usize = 0;
/** Names of a shard are collected here: 256 counters, then 256 buckets of `depth` names. */
let waiting: usize = 0;
let buckets: usize = 0;
let depth: u32 = 0;

export function bucketBytes(namesPerBucket: u32): usize {
  return SHARDS * 4 + SHARDS * namesPerBucket * HASHES_BYTES;
}

export function beginShards(tableAt: usize, bucketsAt: usize, namesPerBucket: u32): void {
  table = tableAt;
  bits = load<u64>(table, SHARDS * ENTRY_BYTES);
  hashes = load<u32>(table, SHARDS * ENTRY_BYTES + 8);
  wrap = ((u64.MAX_VALUE % bits) + 1) % bits;
  waiting = bucketsAt;
  buckets = waiting + SHARDS * 4;
  depth = namesPerBucket;
}

/** Adds a name to its shard's bucket. A full bucket, or `emptyBuckets`, sets the bits. */
// @ts-ignore: decorator
@inline
export function addToShard(shard: usize, at: usize, length: usize): void {
  if (load<u32>(table + shard * ENTRY_BYTES) === 0) return;
  const counter = waiting + shard * 4;
  const names = load<u32>(counter);
  const entry = buckets + (shard * depth + names) * HASHES_BYTES;
  const a = murmur64a(at, length, SEED);
  store<u64>(entry, a);
  store<u64>(entry, murmur64a(at, length, a), 8);
  store<u32>(counter, names + 1);
  if (names + 1 === depth) emptyBucket(shard);
}

export function emptyBuckets(): void {
  for (let shard: usize = 0; shard < SHARDS; shard += 1) emptyBucket(shard);
}

/** One shard at a time, so that its bits are in the cache; under its lock, because threads share it. */
function emptyBucket(shard: usize): void {
  const counter = waiting + shard * 4;
  const names = load<u32>(counter);
  if (names === 0) return;
  store<u32>(counter, 0);
  const entry = table + shard * ENTRY_BYTES;
  const base = load<u32>(entry);
  let at = buckets + shard * depth * HASHES_BYTES;
  const end = at + <usize>names * HASHES_BYTES;
  let items: u32 = 0;
  while (atomic.cmpxchg<u32>(entry + LOCK, 0, 1) !== 0) atomic.wait<i32>(entry + LOCK, 1, LOCK_WAIT_NS);
  for (; at < end; at += HASHES_BYTES) items += setBits(base, load<u64>(at), load<u64>(at, 8));
  store<u32>(entry, load<u32>(entry, NAMES) + names, NAMES);
  store<u32>(entry, load<u32>(entry, ITEMS) + items, ITEMS);
  atomic.store<u32>(entry + LOCK, 0);
  atomic.notify(entry + LOCK, 1);
}

/**
 * RedisBloom's scheme: (a + i*b) mod 2^64 mod bits for i < hashes; bits of a byte count from the lowest.
 * It adds remainders, so two divisions are enough for any `hashes`. Masks replace unpredictable branches.
 * @returns 1 if one of the bits was not set before, else 0
 */
// @ts-ignore: decorator
@inline
function setBits(base: usize, a: u64, b: u64): u32 {
  const step = b % bits;
  let bit = a % bits;
  let fresh: u32 = 0;
  for (let left = hashes; left > 0; left -= 1) {
    const at = base + <usize>(bit >> 3);
    const mask = (<u32>1) << (<u32>bit & 7);
    const old: u32 = load<u8>(at);
    fresh |= mask & ~old;
    store<u8>(at, old | mask);
    const next = a + b;
    // Between -bits and 2 * bits.
    bit += step - (wrap & (0 - <u64>(next < a)));
    bit = raised(raised(bit) - bits);
    a = next;
  }
  return <u32>(fresh !== 0);
}

/** Adds `bits` to a negative number. */
// @ts-ignore: decorator
@inline
function raised(bit: u64): u64 {
  return bit + (bits & <u64>(<i64>bit >> 63));
}
