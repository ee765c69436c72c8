import { SHA_WORK_BYTES, shaBegin, shaBlock, shaFirstByte } from "./sha256";
import { addToShard } from "./shards";

/** Names that are hashed at once. */
const LANES: usize = 4;
/** The longest name that is one SHA-256 block with its padding. */
const ONE_BLOCK: usize = 55;

/** Memory: that of SHA-256, a block per lane, then address and length of each lane's name. */
export const NAMES_WORK_BYTES: usize = SHA_WORK_BYTES + LANES * 64 + LANES * 8;
let work: usize = 0;
let blocks: usize = 0;
let waiting: usize = 0;
let lanes: usize = 0;

export function beginNames(workAt: usize): void {
  work = workAt;
  blocks = work + SHA_WORK_BYTES;
  waiting = blocks + LANES * 64;
  lanes = 0;
}

/** Adds a name. It must stay in memory until the next `flush`; up to 64 bytes past its end are read. */
export function addName(at: usize, length: usize): void {
  if (length > ONE_BLOCK) return addLongName(at, length);
  const block = blocks + lanes * 64;
  padBlock(block, at, length);
  storeLength(block, length);
  store<u32>(waiting + lanes * 8, at);
  store<u32>(waiting + lanes * 8, length, 4);
  lanes += 1;
  if (lanes === LANES) flush();
}

/** Hashes the names in the lanes, also when some lanes are empty. */
export function flush(): void {
  if (lanes === 0) return;
  shaBegin(work);
  shaBlock(work, blocks);
  for (let lane: usize = 0; lane < lanes; lane += 1) {
    const name = waiting + lane * 8;
    addToShard(shaFirstByte(work, lane), load<u32>(name), load<u32>(name, 4));
  }
  lanes = 0;
}

/** A name of more than one block uses one lane, block by block. */
function addLongName(at: usize, length: usize): void {
  flush();
  shaBegin(work);
  let from: usize = 0;
  for (; from + 64 <= length; from += 64) {
    memory.copy(blocks, at + from, 64);
    shaBlock(work, blocks);
  }
  const rest = length - from;
  padBlock(blocks, at + from, rest);
  if (rest > ONE_BLOCK) {
    // The length does not fit after the name: it gets another block.
    shaBlock(work, blocks);
    memory.fill(blocks, 0, 64);
  }
  storeLength(blocks, length);
  shaBlock(work, blocks);
  addToShard(shaFirstByte(work, 0), at, length);
}

/** The last `length` (below 64) bytes of a name, the end mark, and zeros. */
// @ts-ignore: decorator
@inline
function padBlock(to: usize, at: usize, length: usize): void {
  const end = i8x16.splat(<i8>length);
  padPart(to, at, i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), end);
  padPart(to + 16, at + 16, i8x16(16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31), end);
  padPart(to + 32, at + 32, i8x16(32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47), end);
  padPart(to + 48, at + 48, i8x16(48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63), end);
}

// @ts-ignore: decorator
@inline
function padPart(to: usize, at: usize, indexes: v128, end: v128): void {
  const name = v128.and(v128.load(at), i8x16.lt_u(indexes, end));
  const mark = v128.and(i8x16.splat(<i8>0x80), i8x16.eq(indexes, end));
  v128.store(to, v128.or(name, mark));
}

/** The length of the whole name in bits, big-endian, at the block's end. */
// @ts-ignore: decorator
@inline
function storeLength(block: usize, length: usize): void {
  store<u64>(block, bswap<u64>(<u64>length * 8), 56);
}
