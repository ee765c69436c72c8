const M: u64 = 0xc6a4a7935bd1e995;

/** MurmurHash64A (Austin Appleby, public domain). Reads up to 7 bytes past the end. */
export function murmur64a(at: usize, length: usize, seed: u64): u64 {
  let hash: u64 = seed ^ (<u64>length * M);
  const tail = at + (length & ~7);
  for (; at < tail; at += 8) {
    hash ^= mix(load<u64>(at));
    hash *= M;
  }
  const rest = length & 7;
  if (rest > 0) {
    hash ^= load<u64>(at) & ((<u64>1 << (<u64>rest * 8)) - 1);
    hash *= M;
  }
  hash ^= hash >> 47;
  hash *= M;
  return hash ^ (hash >> 47);
}

// @ts-ignore: decorator
@inline
function mix(block: u64): u64 {
  block *= M;
  block ^= block >> 47;
  return block * M;
}
