import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recordBytes } from "../../domain/orders/order-log";
import { splitCalls } from "./split-calls";

const record = (partitionKey: string, bytes: number) => ({ partitionKey, data: Buffer.alloc(bytes) });
const sizes = (records: ReturnType<typeof record>[]) => splitCalls(records).calls.map(call => call.length);

describe("calls of PutRecords", () => {
  it("take at most 500 records, and 5 MiB", () => {
    expect(sizes(Array(501).fill(record("D", 1)))).toEqual([500, 1]);
    expect(sizes(Array(6).fill(record("DOGE-1", 1_048_570)))).toEqual([5, 1]);
    expect(sizes([])).toEqual([]);
  });

  it("leave out records over 1 MiB with their key's UTF-8 bytes, and no others", () => {
    const records = [
      record("a", 5),
      record("DOGE-1", 1_048_571),
      record("ÐOGE-1", 1_048_570),
      record("b", 5),
    ];
    expect(splitCalls(records)).toEqual({ calls: [[0, 3]], oversized: [1, 2] });
  });

  it("hold each record once, in order, within the limits", () => {
    const sized = fc.array(fc.integer({ min: 0, max: 1_100_000 }), { maxLength: 30 });
    fc.assert(
      fc.property(sized, bytes => {
        const records = bytes.map(one => record("DOGE-1", one));
        const { calls, oversized } = splitCalls(records);
        expect([...calls.flat(), ...oversized].sort((a, b) => a - b)).toEqual(records.map((_, i) => i));
        expect(calls.flat()).toEqual([...calls.flat()].sort((a, b) => a - b));
        for (const call of calls)
          expect(call.reduce((sum, i) => sum + recordBytes(records[i]!), 0)).toBeLessThanOrEqual(
            5 * 1_048_576,
          );
      }),
      { numRuns: 30 },
    );
  });
});
