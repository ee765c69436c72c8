import { MAX_CALL_BYTES, MAX_CALL_RECORDS } from "../domain/order-log";
import { MAX_PAYLOAD_BYTES } from "../domain/order-payload";
import { BYTES_PER_ORDER } from "../domain/order-record";
import { PendingRecord, type UnsentOrder } from "./pending-record";

export type RecordLimits = {
  /** Bytes of one record with its key, at most 1,048,576. */
  maxRecordBytes: number;
  maxOrdersPerRecord: number;
};

const MAX_ORDER_BYTES = MAX_PAYLOAD_BYTES + BYTES_PER_ORDER;
/** The first calls after a limit was met are this small. */
const MIN_WINDOW = 16;

/** What waits for one shard, oldest first. One call is in flight at a time, so retries change no order. */
export class Lane {
  private queue: PendingRecord[] = [];
  /** The last record of each sub-key that is still open for more orders. */
  private readonly open = new Map<string, PendingRecord>();
  inFlight: PendingRecord[] = [];
  /** The number of the next record; records in flight keep theirs through all retries. */
  nextNumber = 1;
  failures = 0;
  /** A call has gone out: some of its records may be there, whatever the answer was. */
  isTried = false;
  private window = MAX_CALL_RECORDS;

  constructor(
    readonly shardId: string,
    private readonly limits: RecordLimits,
  ) {}

  get isEmpty(): boolean {
    return this.queue.length === 0 && this.inFlight.length === 0;
  }

  /** The record that the next order of a sub-key goes into. */
  recordFor(symbol: string, partitionKey: string, producer: number): PendingRecord {
    const known = this.open.get(partitionKey);
    const { maxOrdersPerRecord, maxRecordBytes } = this.limits;
    const hasRoom =
      known !== undefined &&
      known.producer === producer &&
      known.count < maxOrdersPerRecord &&
      known.bytes + MAX_ORDER_BYTES <= maxRecordBytes;
    if (hasRoom) return known;
    const record = new PendingRecord(symbol, partitionKey, producer);
    this.open.set(partitionKey, record);
    this.queue.push(record);
    return record;
  }

  /** The records of the next call: those that were refused come first. Empties nothing. */
  take(): PendingRecord[] {
    if (this.inFlight.length > 0) return this.inFlight;
    const producer = this.queue[0]?.producer;
    let bytes = 0;
    let count = 0;
    for (const record of this.queue) {
      bytes += record.bytes;
      if (count >= this.window || bytes > MAX_CALL_BYTES || record.producer !== producer) break;
      count += 1;
    }
    this.inFlight = this.queue.splice(0, count);
    for (const record of this.inFlight)
      if (this.open.get(record.partitionKey) === record) this.open.delete(record.partitionKey);
    return this.inFlight;
  }

  /** What became of the call: returns the records that are durable; the others are tried again. */
  settle(taken: readonly boolean[], wasThrottled: boolean): PendingRecord[] {
    const durable = this.inFlight.filter((_, i) => taken[i]);
    this.inFlight = this.inFlight.filter((_, i) => !taken[i]);
    this.nextNumber += durable.length;
    if (wasThrottled) {
      this.window = Math.max(MIN_WINDOW, durable.length * 2);
      // A smaller call next time: what exceeds it goes back to the head of the queue.
      const back = this.inFlight.splice(this.window);
      this.queue.unshift(...back);
    } else this.window = Math.min(MAX_CALL_RECORDS, this.window * 2);
    return durable;
  }

  /** The call in hand is over, and none of what is left of it is in the log. */
  putBack(): void {
    this.queue.unshift(...this.inFlight);
    this.inFlight = [];
  }

  /** Takes everything out: the shard is closed, or the stamps are void. */
  drain(): UnsentOrder[] {
    this.putBack();
    const orders = this.queue.flatMap(record => record.unsent());
    this.queue = [];
    this.open.clear();
    return orders;
  }

  /** Takes out the records of the queue that `wanted` names: none of them is in the log. */
  drainWhere(wanted: (record: PendingRecord) => boolean): UnsentOrder[] {
    const out = this.queue.filter(wanted);
    if (out.length === 0) return [];
    this.queue = this.queue.filter(record => !wanted(record));
    for (const record of out)
      if (this.open.get(record.partitionKey) === record) this.open.delete(record.partitionKey);
    return out.flatMap(record => record.unsent());
  }

  /** What comes now goes into new records, so that the stamps of each one rise. */
  seal(): void {
    this.open.clear();
  }

  /** Calls back with each record that is not durable. */
  forEachPending(visit: (record: PendingRecord) => void): void {
    for (const record of this.inFlight) visit(record);
    for (const record of this.queue) visit(record);
  }
}
