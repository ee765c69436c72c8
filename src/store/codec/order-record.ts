/**
 * A record of the order log: a version byte, a kind byte, and then for orders
 *
 *   producer u32 | symbol length u8, symbol | count u32
 *   count x time f64 (µs) | count x sequence f64 | count x payload length u16 | payloads
 *
 * Stamps are stored apart from payloads, so that the aggregator need not decode payloads.
 * Big-endian. A watermark is { version, kind } and JSON.
 */
const VERSION = 1;
const KIND = { orders: 1, watermark: 2, closed: 3 } as const;

/** Orders of one symbol and one producer; `payloads[i]` starts at `offsets[i]` of `bytes`. */
export type OrderRun = {
  symbol: string;
  producer: number;
  count: number;
  timesUs: Float64Array;
  sequences: Float64Array;
  bytes: Buffer;
  /** count + 1 entries: where each payload begins, and where the last one ends. */
  offsets: Uint32Array;
};

/**
 * Written into every shard many times a second: every durable order of any producer with a stamp up to
 * `throughUs` stands before this record in its shard. `except` names symbols
 * for which that is true only up to an earlier time.
 */
export type WatermarkRecord = {
  throughUs: number;
  except: Record<string, number>;
  /** When the producers' watermarks were read. */
  readAtUs: number;
  /** The shard map that the watermark covers: a reader must know this map before it uses the watermark. */
  mapVersion: number;
  /** Whose watermark it is, such as "producer 7 on shard 3". */
  slowestProducer: string | null;
};

export type LogRecord =
  | { kind: "orders"; run: OrderRun }
  | { kind: "watermark"; watermark: WatermarkRecord }
  | { kind: "closed" };

/** The orders of a record in columns; `ends[i]` is where payload i ends in `payloads`. */
export type OrderColumns = {
  timesUs: readonly number[];
  sequences: readonly number[];
  ends: readonly number[];
  payloads: Buffer;
};

const HEAD_BYTES = 11;
/** What one order adds to a record besides its payload. */
export const BYTES_PER_ORDER = 18;

/** The bytes of a record's head; the symbol is ASCII. */
export function headBytes(symbol: string): number {
  return HEAD_BYTES + symbol.length;
}

export function encodeOrders(
  producer: number,
  symbol: string,
  { timesUs, sequences, ends, payloads }: OrderColumns,
): Buffer {
  const count = timesUs.length;
  const head = headBytes(symbol);
  const bytes = Buffer.allocUnsafe(head + count * BYTES_PER_ORDER + payloads.length);
  bytes[0] = VERSION;
  bytes[1] = KIND.orders;
  bytes.writeUInt32BE(producer, 2);
  bytes[6] = symbol.length;
  bytes.write(symbol, 7, "latin1");
  bytes.writeUInt32BE(count, 7 + symbol.length);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let i = 0; i < count; i += 1) {
    view.setFloat64(head + i * 8, timesUs[i]!);
    view.setFloat64(head + (count + i) * 8, sequences[i]!);
    view.setUint16(head + count * 16 + i * 2, ends[i]! - (i === 0 ? 0 : ends[i - 1]!));
  }
  payloads.copy(bytes, head + count * BYTES_PER_ORDER);
  return bytes;
}

/** One order of a run as a record of its own. */
export function encodeOne({ producer, symbol, ...run }: OrderRun, index: number): Buffer {
  const payloads = run.bytes.subarray(run.offsets[index], run.offsets[index + 1]);
  const stamp = { timesUs: [run.timesUs[index]!], sequences: [run.sequences[index]!] };
  return encodeOrders(producer, symbol, { ...stamp, ends: [payloads.length], payloads });
}

export function encodeWatermark(watermark: WatermarkRecord): Buffer {
  return Buffer.concat([Buffer.from([VERSION, KIND.watermark]), Buffer.from(JSON.stringify(watermark))]);
}

/** The last record of a shard that takes no more. */
export const CLOSED_RECORD = Buffer.from([VERSION, KIND.closed]);

/** @throws Error when the bytes are no record of a version this build knows */
export function decodeRecord(bytes: Buffer): LogRecord {
  if (bytes.length < 2) throw new Error("truncated record");
  if (bytes[0] !== VERSION) throw new Error(`unknown record version ${bytes[0]}`);
  if (bytes[1] === KIND.orders) return { kind: "orders", run: decodeOrders(bytes) };
  if (bytes[1] === KIND.closed) return { kind: "closed" };
  if (bytes[1] === KIND.watermark)
    return { kind: "watermark", watermark: readWatermark(JSON.parse(bytes.toString("utf8", 2))) };
  throw new Error(`unknown record kind ${bytes[1]}`);
}

function readWatermark(value: WatermarkRecord): WatermarkRecord {
  const isWhole = [value.throughUs, value.readAtUs, value.mapVersion].every(Number.isSafeInteger);
  if (!isWhole || typeof value.except !== "object" || value.except === null)
    throw new Error("malformed watermark");
  return value;
}

function decodeOrders(bytes: Buffer): OrderRun {
  const symbolLength = bytes[6] ?? 0;
  const head = HEAD_BYTES + symbolLength;
  if (bytes.length < head) throw new Error("truncated record");
  const count = bytes.readUInt32BE(7 + symbolLength);
  const payloadsAt = head + count * BYTES_PER_ORDER;
  if (count === 0 || bytes.length < payloadsAt) throw new Error("truncated record");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const timesUs = new Float64Array(count);
  const sequences = new Float64Array(count);
  const offsets = new Uint32Array(count + 1);
  let at = payloadsAt;
  for (let i = 0; i < count; i += 1) {
    timesUs[i] = view.getFloat64(head + i * 8);
    sequences[i] = view.getFloat64(head + (count + i) * 8);
    offsets[i] = at;
    at += view.getUint16(head + count * 16 + i * 2);
    if (!Number.isSafeInteger(timesUs[i]) || !Number.isSafeInteger(sequences[i]))
      throw new Error("malformed stamp");
  }
  offsets[count] = at;
  if (at !== bytes.length) throw new Error("truncated record");
  const symbol = bytes.toString("latin1", 7, 7 + symbolLength);
  return { symbol, producer: bytes.readUInt32BE(2), count, timesUs, sequences, bytes, offsets };
}
