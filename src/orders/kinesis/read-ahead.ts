import { END, type ReadRecord, START } from "../../domain/orders/order-log";
import { CLOSED_RECORD } from "../../store/codec/order-record";
import type { Start } from "./kinesis-calls";

/** The used fields of a Kinesis record. */
export type RawRecord = { SequenceNumber?: string | undefined; Data?: Uint8Array | undefined };

/**
 * Records of one shard that were read and not taken yet. A reader resumes at its last record, not after it:
 * if that record does not come again it was trimmed, perhaps with others. Kinesis does not number records,
 * so one record is reported missing for any number of them.
 */
export class ReadAhead {
  private records: ReadRecord[] = [];
  private missing = 0;
  /** The position of the record that must come first. */
  private expected: string | null = null;
  hasEnded = false;
  /** Bytes of the records that were not taken yet. */
  bytes = 0;

  /** @param last the position after which to read */
  constructor(private last: string) {
    this.resume();
  }

  get size(): number {
    return this.records.length;
  }

  /** Where a new iterator or subscription has to start. */
  get start(): Start {
    return this.last === START ? { type: "TRIM_HORIZON" } : { type: "AT_SEQUENCE_NUMBER", number: this.last };
  }

  /** A new iterator is needed: its first record has to be the last one that there was. */
  resume(): void {
    this.expected = this.last === START ? null : this.last;
  }

  /** The position was trimmed: the oldest record comes next. */
  lose(): void {
    this.missing = 1;
    this.expected = null;
    this.last = START;
  }

  push(raw: readonly RawRecord[]): void {
    for (const { SequenceNumber: position, Data } of raw) {
      if (position === undefined) continue;
      const isRepeat = position === this.expected;
      if (this.expected !== null && !isRepeat) this.missing = 1;
      this.expected = null;
      if (isRepeat) continue;
      this.last = position;
      const data = dataOf(Data);
      this.bytes += data.length;
      this.records.push({ position, data, missing: this.missing });
      this.missing = 0;
    }
  }

  /** The shard is closed and fully read: adds the record that says so. */
  end(): void {
    const missing = this.expected === null ? this.missing : 1;
    this.records.push({ position: END, data: CLOSED_RECORD, missing });
    this.hasEnded = true;
  }

  take(limit: number): ReadRecord[] {
    const taken = this.records.splice(0, limit);
    for (const { data } of taken) this.bytes -= data.length;
    return taken;
  }
}

/** Only `end` makes a closing record. One that was put into the stream counts as malformed. */
function dataOf(bytes: Uint8Array | undefined): Buffer {
  if (bytes === undefined) return EMPTY;
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return data.equals(CLOSED_RECORD) ? EMPTY : data;
}

const EMPTY = Buffer.alloc(0);
