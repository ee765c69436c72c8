/**
 * The build kernel: it reads bytes of Postgres' wire protocol and sets bits of the shards. It uses the
 * memory of its caller, which may be shared: several instances may set bits of the same shards.
 */
import { addName, beginNames, flush, NAMES_WORK_BYTES } from "./names";
import { beginShards, bucketBytes, emptyBuckets } from "./shards";

/** Message types of the protocol: https://www.postgresql.org/docs/current/protocol-message-formats.html */
const COPY_OUT_RESPONSE: u32 = 0x48; // H
const COPY_DATA: u32 = 0x64; // d
const NOTICE: u32 = 0x4e; // N
const PARAMETER_STATUS: u32 = 0x53; // S
const NOTIFICATION: u32 = 0x41; // A

/** "PGCOPY\n\xff" as a little-endian word; "\r\n\0" follows, then 32 bits of flags and 32 of an extension's length. */
const SIGNATURE: u64 = 0xff0a59504f434750;
const SIGNATURE_BYTES: usize = 11;
const HEADER_BYTES: usize = 19;

/** Why `consume` stopped. Other values: the type of a message that the kernel does not read. */
const WANTS_MORE: u32 = 0;
const BAD_STREAM: u32 = 1;
const NULL_NAME: u32 = 2;
const TOO_LONG: u32 = 3;

let reason: u32 = WANTS_MORE;
let longest: usize = 0;
let expectsHeader: bool = false;
let ended: bool = true;
let rows: u32 = 0;

/** Start of the free memory; the kernel uses the memory below. */
export function freeFrom(): usize {
  return __heap_base;
}

/** Work memory of one instance, bytes. */
export function workBytes(namesPerBucket: u32): usize {
  return NAMES_WORK_BYTES + bucketBytes(namesPerBucket);
}

/**
 * @param table shared by all instances: for each of 256 shards four 32-bit numbers (address of its bits,
 * or 0 to skip it; lock; names; names that set a new bit), then 64 bits: bits of a shard, and 32 bits:
 * how many of them a name sets
 * @param work `workBytes` of zeros, aligned to 16
 * @param namesPerBucket names of one shard whose bits are set together
 * @param longestMessage limit of one message in bytes, including its type and length
 */
export function begin(table: usize, work: usize, namesPerBucket: u32, longestMessage: usize): void {
  beginNames(work);
  beginShards(table, work + NAMES_WORK_BYTES, namesPerBucket);
  longest = longestMessage;
}

/** Adds the last names to their shards. */
export function finish(): void {
  emptyBuckets();
}

/** Call it after COPY (… one column …) TO STDOUT (FORMAT binary) was sent. */
export function beginCopy(): void {
  reason = WANTS_MORE;
  expectsHeader = false;
  ended = true;
  rows = 0;
}

/**
 * Reads complete messages from memory; up to 64 bytes past `to` are read and ignored.
 * @returns the address of the first unread byte: of an incomplete message, or of the message in `stoppedBy`
 */
export function consume(from: usize, to: usize): usize {
  let at = from;
  while (at + 5 <= to) {
    const type: u32 = load<u8>(at);
    const length: usize = bswap<u32>(load<u32>(at, 1));
    if (!isCopyMessage(type)) {
      reason = type;
      break;
    }
    if (length < 4 || length >= longest) {
      reason = length < 4 ? BAD_STREAM : TOO_LONG;
      break;
    }
    const end = at + 1 + length;
    if (end > to) break;
    if (type === COPY_OUT_RESPONSE) {
      expectsHeader = true;
      ended = false;
    } else if (type === COPY_DATA) {
      reason = readRows(at + 5, end);
      if (reason !== WANTS_MORE) break;
    }
    at = end;
  }
  flush();
  return at;
}

/** 0 while more bytes are wanted, 1 to 3 for a stream that can't be read, else the type of the next message. */
export function stoppedBy(): u32 {
  return reason;
}

/** Rows of this COPY so far. */
export function rowsSeen(): u32 {
  return rows;
}

/** Whether the COPY's end mark was seen. */
export function hasEnded(): bool {
  return ended;
}

// @ts-ignore: decorator
@inline
function isCopyMessage(type: u32): bool {
  return (
    type === COPY_DATA ||
    type === COPY_OUT_RESPONSE ||
    type === NOTICE ||
    type === PARAMETER_STATUS ||
    type === NOTIFICATION
  );
}

/** Rows of the binary format: 16 bits of columns, then 32 of length and the bytes of each. */
// @ts-ignore: decorator
@inline
function readRows(at: usize, end: usize): u32 {
  if (expectsHeader) {
    if (at + HEADER_BYTES > end || load<u64>(at) !== SIGNATURE) return BAD_STREAM;
    // No flags are known, and no extensions.
    if (load<u64>(at, SIGNATURE_BYTES) !== 0 || load<u32>(at, 7) >>> 8 !== 0x000a0d) return BAD_STREAM;
    at += HEADER_BYTES;
    expectsHeader = false;
  }
  while (at < end) {
    if (ended || at + 2 > end) return BAD_STREAM;
    const columns = bswap<u16>(load<u16>(at));
    if (columns === 0xffff) {
      ended = true;
      at += 2;
      continue;
    }
    if (columns !== 1 || at + 6 > end) return BAD_STREAM;
    const length: usize = bswap<u32>(load<u32>(at, 2));
    if (length === 0xffffffff) return NULL_NAME;
    at += 6;
    if (length > end - at) return BAD_STREAM;
    rows += 1;
    addName(at, length);
    at += length;
  }
  return WANTS_MORE;
}
