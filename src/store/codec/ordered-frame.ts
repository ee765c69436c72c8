import type { Stamp } from "../../domain/orders/order-stamp";
import type { OrderRun } from "./order-record";

/**
 * A frame of a symbol's ordered stream: version u8 | count u32 | position of the first order f64 |
 * count x (time f64, sequence f64, producer u32, payload length u16) | payloads. Big-endian.
 * Positions count a symbol's orders from 1.
 */
const VERSION = 1;
const HEAD_BYTES = 13;
const ROW_BYTES = 22;

/** Orders `from` up to `to` of a record; their payloads stand one behind the other. */
export type Span = { run: OrderRun; from: number; to: number };

/** One frame of the orders of these spans, the first of which has this position. */
export function encodeFrame(firstPosition: number, spans: readonly Span[]): Buffer {
  let count = 0;
  let payloadBytes = 0;
  for (const { run, from, to } of spans) {
    count += to - from;
    payloadBytes += run.offsets[to]! - run.offsets[from]!;
  }
  const frame = Buffer.allocUnsafe(HEAD_BYTES + count * ROW_BYTES + payloadBytes);
  frame[0] = VERSION;
  frame.writeUInt32BE(count, 1);
  frame.writeDoubleBE(firstPosition, 5);
  const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
  let row = HEAD_BYTES;
  let at = HEAD_BYTES + count * ROW_BYTES;
  for (const { run, from, to } of spans) {
    const { bytes, offsets, timesUs, sequences, producer } = run;
    for (let i = from; i < to; i += 1) {
      view.setFloat64(row, timesUs[i]!);
      view.setFloat64(row + 8, sequences[i]!);
      view.setUint32(row + 16, producer);
      view.setUint16(row + 20, offsets[i + 1]! - offsets[i]!);
      row += ROW_BYTES;
    }
    at += bytes.copy(frame, at, offsets[from]!, offsets[to]!);
  }
  return frame;
}

/** The spans of frames with this many orders each; the last one may have fewer. */
export function* cutSpans(spans: readonly Span[], orders: number): Generator<Span[]> {
  let frame: Span[] = [];
  let room = orders;
  for (const { run, from, to } of spans) {
    for (let start = from; start < to; ) {
      const end = Math.min(to, start + room);
      frame.push({ run, from: start, to: end });
      room -= end - start;
      start = end;
      if (room > 0) continue;
      yield frame;
      frame = [];
      room = orders;
    }
  }
  if (frame.length > 0) yield frame;
}

/** A frame's orders from index `from` on, with positions from `firstPosition` on. */
export function moveFrame(bytes: Buffer, from: number, firstPosition: number): Buffer {
  const count = bytes.readUInt32BE(1);
  const rows = bytes.subarray(HEAD_BYTES + from * ROW_BYTES, HEAD_BYTES + count * ROW_BYTES);
  let payloadsAt = HEAD_BYTES + count * ROW_BYTES;
  for (let i = 0; i < from; i += 1) payloadsAt += bytes.readUInt16BE(HEAD_BYTES + i * ROW_BYTES + 20);
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES));
  head.writeUInt32BE(count - from, 1);
  head.writeDoubleBE(firstPosition, 5);
  return Buffer.concat([head, rows, bytes.subarray(payloadsAt)]);
}

export type OrderedFrame = {
  firstPosition: number;
  count: number;
  stampAt(index: number): Stamp;
  /** The bytes of order `index`; call it in rising order of index. */
  payloads(): Generator<Buffer>;
};

/** @throws Error when the bytes are no frame of a version this build knows */
export function decodeFrame(bytes: Buffer): OrderedFrame {
  if (bytes[0] !== VERSION || bytes.length < HEAD_BYTES) throw new Error("unknown frame");
  const count = bytes.readUInt32BE(1);
  const rowAt = (index: number) => HEAD_BYTES + index * ROW_BYTES;
  if (bytes.length < rowAt(count)) throw new Error("truncated frame");
  return {
    count,
    firstPosition: bytes.readDoubleBE(5),
    stampAt: index => ({
      timeUs: bytes.readDoubleBE(rowAt(index)),
      sequence: bytes.readDoubleBE(rowAt(index) + 8),
      producer: bytes.readUInt32BE(rowAt(index) + 16),
    }),
    *payloads() {
      let at = rowAt(count);
      for (let i = 0; i < count; i += 1) {
        const end = at + bytes.readUInt16BE(rowAt(i) + 20);
        yield bytes.subarray(at, end);
        at = end;
      }
    },
  };
}
