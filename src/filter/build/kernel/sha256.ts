/**
 * SHA-256 (FIPS 180-4) of four blocks at once, one in each 32-bit lane of a vector.
 * Work memory, bytes from `work`: 0 message schedule (64 vectors), 1024 state (8 vectors).
 */
export const SHA_WORK_BYTES: usize = 64 * 16 + 8 * 16;
const STATE: usize = 64 * 16;

const K = memory.data<u32>([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);

/** Sets the initial state in all lanes. */
export function shaBegin(work: usize): void {
  v128.store(work, i32x4.splat(0x6a09e667), STATE);
  v128.store(work, i32x4.splat(0xbb67ae85), STATE + 16);
  v128.store(work, i32x4.splat(0x3c6ef372), STATE + 32);
  v128.store(work, i32x4.splat(0xa54ff53a), STATE + 48);
  v128.store(work, i32x4.splat(0x510e527f), STATE + 64);
  v128.store(work, i32x4.splat(0x9b05688c), STATE + 80);
  v128.store(work, i32x4.splat(0x1f83d9ab), STATE + 96);
  v128.store(work, i32x4.splat(0x5be0cd19), STATE + 112);
}

/** The first byte of the digest of one lane. */
// @ts-ignore: decorator
@inline
export function shaFirstByte(work: usize, lane: usize): u32 {
  return load<u8>(work + STATE + lane * 4, 3);
}

/** Hashes one padded 64-byte block per lane, at `blocks`, `blocks` + 64, … */
export function shaBlock(work: usize, blocks: usize): void {
  for (let part: usize = 0; part < 4; part += 1) transpose(blocks + part * 16, work + part * 64);
  for (let t: usize = work + 16 * 16; t < work + 64 * 16; t += 16) {
    const w15 = v128.load(t - 15 * 16);
    const w2 = v128.load(t - 2 * 16);
    const s0 = v128.xor(v128.xor(rotr(w15, 7), rotr(w15, 18)), i32x4.shr_u(w15, 3));
    const s1 = v128.xor(v128.xor(rotr(w2, 17), rotr(w2, 19)), i32x4.shr_u(w2, 10));
    const older = i32x4.add(v128.load(t - 16 * 16), v128.load(t - 7 * 16));
    v128.store(t, i32x4.add(i32x4.add(older, s0), s1));
  }
  let a = v128.load(work, STATE);
  let b = v128.load(work, STATE + 16);
  let c = v128.load(work, STATE + 32);
  let d = v128.load(work, STATE + 48);
  let e = v128.load(work, STATE + 64);
  let f = v128.load(work, STATE + 80);
  let g = v128.load(work, STATE + 96);
  let h = v128.load(work, STATE + 112);
  // Eight rounds at a time, so that no value moves from one variable to the next.
  for (let t: usize = 0; t < 64; t += 8) {
    h = upper(e, f, g, h, work, t);
    d = i32x4.add(d, h);
    h = i32x4.add(h, lower(a, b, c));
    g = upper(d, e, f, g, work, t + 1);
    c = i32x4.add(c, g);
    g = i32x4.add(g, lower(h, a, b));
    f = upper(c, d, e, f, work, t + 2);
    b = i32x4.add(b, f);
    f = i32x4.add(f, lower(g, h, a));
    e = upper(b, c, d, e, work, t + 3);
    a = i32x4.add(a, e);
    e = i32x4.add(e, lower(f, g, h));
    d = upper(a, b, c, d, work, t + 4);
    h = i32x4.add(h, d);
    d = i32x4.add(d, lower(e, f, g));
    c = upper(h, a, b, c, work, t + 5);
    g = i32x4.add(g, c);
    c = i32x4.add(c, lower(d, e, f));
    b = upper(g, h, a, b, work, t + 6);
    f = i32x4.add(f, b);
    b = i32x4.add(b, lower(c, d, e));
    a = upper(f, g, h, a, work, t + 7);
    e = i32x4.add(e, a);
    a = i32x4.add(a, lower(b, c, d));
  }
  addTo(work, a);
  addTo(work + 16, b);
  addTo(work + 32, c);
  addTo(work + 48, d);
  addTo(work + 64, e);
  addTo(work + 80, f);
  addTo(work + 96, g);
  addTo(work + 112, h);
}

/** T1 of the standard: h + Σ1(e) + Ch(e, f, g) + K[t] + W[t]. */
// @ts-ignore: decorator
@inline
function upper(e: v128, f: v128, g: v128, h: v128, work: usize, t: usize): v128 {
  const kw = i32x4.add(v128.load32_splat(K + t * 4), v128.load(work + t * 16));
  const sum = v128.xor(v128.xor(rotr(e, 6), rotr(e, 11)), rotr(e, 25));
  return i32x4.add(i32x4.add(i32x4.add(h, kw), v128.bitselect(f, g, e)), sum);
}

/** T2 of the standard: Σ0(a) + Maj(a, b, c). */
// @ts-ignore: decorator
@inline
function lower(a: v128, b: v128, c: v128): v128 {
  const sum = v128.xor(v128.xor(rotr(a, 2), rotr(a, 13)), rotr(a, 22));
  return i32x4.add(sum, v128.bitselect(c, b, v128.xor(a, b)));
}

// @ts-ignore: decorator
@inline
function rotr(x: v128, count: i32): v128 {
  return v128.or(i32x4.shr_u(x, count), i32x4.shl(x, 32 - count));
}

// @ts-ignore: decorator
@inline
function addTo(work: usize, x: v128): void {
  v128.store(work, i32x4.add(v128.load(work, STATE), x), STATE);
}

/** Words 0-3 of four blocks, big-endian, into the schedule: vector i holds word i of each block. */
// @ts-ignore: decorator
@inline
function transpose(from: usize, to: usize): void {
  const r0 = bigEndian(v128.load(from));
  const r1 = bigEndian(v128.load(from, 64));
  const r2 = bigEndian(v128.load(from, 128));
  const r3 = bigEndian(v128.load(from, 192));
  const low01 = v128.shuffle<i32>(r0, r1, 0, 4, 1, 5);
  const low23 = v128.shuffle<i32>(r2, r3, 0, 4, 1, 5);
  const high01 = v128.shuffle<i32>(r0, r1, 2, 6, 3, 7);
  const high23 = v128.shuffle<i32>(r2, r3, 2, 6, 3, 7);
  v128.store(to, v128.shuffle<i64>(low01, low23, 0, 2));
  v128.store(to, v128.shuffle<i64>(low01, low23, 1, 3), 16);
  v128.store(to, v128.shuffle<i64>(high01, high23, 0, 2), 32);
  v128.store(to, v128.shuffle<i64>(high01, high23, 1, 3), 48);
}

// @ts-ignore: decorator
@inline
function bigEndian(x: v128): v128 {
  return v128.shuffle<i8>(x, x, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
}
