/** A 64-bit unsigned integer as two 32-bit halves: BigInt would take ten times as long. */
export type Word64 = { hi: number; lo: number };

const M_HI = 0xc6a4a793;
const M_LO = 0x5bd1e995;

/** Upper 32 bits of the product of two unsigned 32-bit integers. */
function mulHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  const carry = (middle & 0xffff) + aLow * bHigh;
  return (aHigh * bHigh + Math.floor(middle / 0x10000) + Math.floor(carry / 0x10000)) >>> 0;
}

function timesM(word: Word64): void {
  const { hi, lo } = word;
  word.lo = Math.imul(lo, M_LO) >>> 0;
  word.hi = (mulHigh(lo, M_LO) + Math.imul(lo, M_HI) + Math.imul(hi, M_LO)) >>> 0;
}

/** x ^= x >> 47: only the upper word's top 17 bits reach the lower word. */
function foldHigh(word: Word64): void {
  word.lo = (word.lo ^ (word.hi >>> 15)) >>> 0;
}

/**
 * MurmurHash64A (Austin Appleby, public domain) as RedisBloom uses it.
 * @param bytes the UTF-8 bytes of the item
 */
export function murmur64a(bytes: Uint8Array, seed: Word64): Word64 {
  const length = bytes.length;
  const hash: Word64 = { hi: 0, lo: length };
  timesM(hash);
  hash.hi = (hash.hi ^ seed.hi) >>> 0;
  hash.lo = (hash.lo ^ seed.lo) >>> 0;
  const block: Word64 = { hi: 0, lo: 0 };
  const tail = length - (length % 8);
  for (let at = 0; at < tail; at += 8) {
    block.lo = littleEndian(bytes, at, 4);
    block.hi = littleEndian(bytes, at + 4, 4);
    timesM(block);
    foldHigh(block);
    timesM(block);
    hash.hi = (hash.hi ^ block.hi) >>> 0;
    hash.lo = (hash.lo ^ block.lo) >>> 0;
    timesM(hash);
  }
  if (tail < length) {
    hash.lo = (hash.lo ^ littleEndian(bytes, tail, Math.min(4, length - tail))) >>> 0;
    if (length - tail > 4) hash.hi = (hash.hi ^ littleEndian(bytes, tail + 4, length - tail - 4)) >>> 0;
    timesM(hash);
  }
  foldHigh(hash);
  timesM(hash);
  foldHigh(hash);
  return hash;
}

function littleEndian(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let i = count - 1; i >= 0; i -= 1) value = (value << 8) | bytes[at + i]!;
  return value >>> 0;
}

/** Remainder of a 64-bit word; exact while `divisor` is below 2^37. */
export function remainder(word: Word64, divisor: number): number {
  let rest = word.hi % divisor;
  rest = (rest * 0x10000 + (word.lo >>> 16)) % divisor;
  return (rest * 0x10000 + (word.lo & 0xffff)) % divisor;
}
