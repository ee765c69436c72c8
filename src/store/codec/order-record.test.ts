import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_RECORD_BYTES, recordBytes } from "../../domain/orders/order-log";
import { compareStamps, formatStamp, NO_STAMP, parseStamp } from "../../domain/orders/order-stamp";
import { encodeRows } from "../../testing/encode-rows";
import { CLOSED_RECORD, decodeRecord, encodeWatermark } from "./order-record";
import { cutSpans, decodeFrame, encodeFrame } from "./ordered-frame";

const stamped = fc.record({
  timeUs: fc.integer({ min: 0, max: 9e15 }),
  sequence: fc.integer({ min: 0, max: 2 ** 50 }),
  payload: fc.uint8Array({ maxLength: 80 }).map(bytes => Buffer.from(bytes)),
});
const stamp = fc.record({ timeUs: fc.nat(3), producer: fc.nat(3), sequence: fc.nat(3) });

describe("a record of the log", () => {
  it("decodes to the encoded orders, and so does a frame of them", () => {
    fc.assert(
      fc.property(
        fc.array(stamped, { minLength: 1, maxLength: 30 }),
        fc.nat(2 ** 32 - 1),
        (orders, producer) => {
          const record = decodeRecord(encodeRows(producer, "DOGE", orders));
          if (record.kind !== "orders") throw new Error(record.kind);
          const { run } = record;
          expect([run.symbol, run.producer, run.count]).toEqual(["DOGE", producer, orders.length]);
          const middle = orders.length >> 1;
          const spans = [
            { run, from: 0, to: middle },
            { run, from: middle, to: orders.length },
          ];
          const frame = decodeFrame(encodeFrame(41, spans));
          expect(frame.firstPosition).toBe(41);
          const payloads = [...frame.payloads()];
          orders.forEach(({ timeUs, sequence, payload }, i) => {
            expect(frame.stampAt(i)).toEqual({ timeUs, producer, sequence });
            expect(payloads[i]!.equals(payload)).toBe(true);
          });
        },
      ),
    );
  });

  it("is cut into frames of so many orders", () => {
    const rows = Array.from({ length: 9 }, (_, i) => ({
      timeUs: i + 1,
      sequence: 1,
      payload: Buffer.from(`${i}`),
    }));
    const record = decodeRecord(encodeRows(1, "DOGE", rows));
    if (record.kind !== "orders") throw new Error(record.kind);
    const { run } = record;
    const spans = [
      { run, from: 0, to: 1 },
      { run, from: 1, to: 7 },
      { run, from: 7, to: 9 },
    ];
    const texts = [...cutSpans(spans, 4)].map(some =>
      [...decodeFrame(encodeFrame(1, some)).payloads()].map(String).join(""),
    );
    expect(texts).toEqual(["0123", "4567", "8"]);
    expect([...cutSpans([], 4)]).toEqual([]);
  });

  it("that is cut, of another version or garbage throws, and nothing else happens", () => {
    const good = encodeRows(1, "DOGE", [{ timeUs: 1, sequence: 1, payload: Buffer.from("x") }]);
    for (let length = 0; length < good.length; length += 1)
      expect(() => decodeRecord(good.subarray(0, length))).toThrow();
    expect(() => decodeRecord(Buffer.from([2, 1]))).toThrow("unknown record version 2");
    expect(() => decodeRecord(Buffer.from([1, 9]))).toThrow("unknown record kind 9");
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
        const data = Buffer.from([1, 1, ...bytes]);
        try {
          const record = decodeRecord(data);
          if (record.kind === "orders") expect(record.run.offsets[record.run.count]).toBe(data.length);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }),
    );
  });

  it("may be a watermark or the last of its shard", () => {
    const watermark = {
      throughUs: 5,
      except: { DOGE: 3 },
      readAtUs: 6,
      mapVersion: 1,
      slowestProducer: "producer 7",
    };
    expect(decodeRecord(encodeWatermark(watermark))).toEqual({ kind: "watermark", watermark });
    expect(decodeRecord(CLOSED_RECORD)).toEqual({ kind: "closed" });
    expect(() => decodeRecord(Buffer.from(`\u0001\u0002${JSON.stringify({ throughUs: "x" })}`))).toThrow(
      "malformed",
    );
  });

  it("counts its key in UTF-8 bytes, as Kinesis does", () => {
    const data = Buffer.alloc(1_048_570);
    expect(recordBytes({ partitionKey: "DOGE-1", data })).toBe(MAX_RECORD_BYTES);
    expect(recordBytes({ partitionKey: "도지-1", data: Buffer.alloc(0) })).toBe(8);
  });
});

describe("stamps", () => {
  it("are a total order, and survive as text", () => {
    fc.assert(
      fc.property(stamp, stamp, stamp, (a, b, c) => {
        expect(Math.sign(compareStamps(a, b)) + Math.sign(compareStamps(b, a))).toBe(0);
        if (compareStamps(a, b) <= 0 && compareStamps(b, c) <= 0)
          expect(compareStamps(a, c)).toBeLessThanOrEqual(0);
        expect(parseStamp(formatStamp(a))).toEqual(a);
      }),
    );
    for (const text of ["", "x", "1:2", null]) expect(parseStamp(text)).toEqual(NO_STAMP);
  });
});
