import { describe, expect, it } from "vitest";
import { END, START } from "../../domain/orders/order-log";
import { CLOSED_RECORD } from "../../store/codec/order-record";
import { ReadAhead } from "./read-ahead";

const raw = (...numbers: number[]) =>
  numbers.map(n => ({ SequenceNumber: String(n), Data: Buffer.from(`r${n}`) }));
const seen = (ahead: ReadAhead) =>
  ahead.take(100).map(({ position, missing }) => (missing ? `${missing} missing, ${position}` : position));

describe("the read-ahead of a shard", () => {
  it("starts with the oldest record, and continues at the last one, which is not returned twice", () => {
    const ahead = new ReadAhead(START);
    expect(ahead.start).toEqual({ type: "TRIM_HORIZON" });
    ahead.push(raw(3, 5));
    ahead.resume();
    expect(ahead.start).toEqual({ type: "AT_SEQUENCE_NUMBER", number: "5" });
    ahead.push([]);
    ahead.push(raw(5, 6));
    expect(seen(ahead)).toEqual(["3", "5", "6"]);
  });

  it("reports missing records when the last record was trimmed", () => {
    const ahead = new ReadAhead("5");
    ahead.push(raw(9, 10));
    expect(seen(ahead)).toEqual(["1 missing, 9", "10"]);
  });

  it("reports them too when the shard is empty, or its position is unknown", () => {
    const over = new ReadAhead("5");
    over.end();
    expect(seen(over)).toEqual(["1 missing, end"]);
    const lost = new ReadAhead("5");
    lost.lose();
    expect(lost.start).toEqual({ type: "TRIM_HORIZON" });
    lost.push(raw(9));
    expect(seen(lost)).toEqual(["1 missing, 9"]);
  });

  it("misses nothing at the end of a shard that was read", () => {
    const ahead = new ReadAhead("5");
    ahead.push(raw(5));
    ahead.end();
    expect(ahead.take(1)).toEqual([{ position: END, data: CLOSED_RECORD, missing: 0 }]);
  });

  it("takes no record for the end of a shard", () => {
    const ahead = new ReadAhead(START);
    ahead.push([{ SequenceNumber: "1", Data: Uint8Array.from(CLOSED_RECORD) }]);
    expect(ahead.take(1)).toEqual([{ position: "1", data: Buffer.alloc(0), missing: 0 }]);
  });
});
