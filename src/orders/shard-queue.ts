import { MAX_CALL_BYTES, MAX_CALL_RECORDS } from "../domain/orders/order-log";
import { MAX_PAYLOAD_BYTES } from "../store/codec/order-payload";
import { BYTES_PER_ORDER } from "../store/codec/order-record";
import { PendingRecord, type UnsentOrder } from "./pending-record";

type Limits = RecordLimits & {
  /** A call takes a prefix of its records. False: each record can fail alone. */
  isAtomic: boolean;
};

export type RecordLimits = {
  /** Bytes of one record with its key, at most 1,048,576. */
  maxRecordBytes: number;
  maxOrdersPerRecord: number;
};

const MAX_ORDER_BYTES = MAX_PAYLOAD_BYTES + BYTES_PER_ORDER;
/** Calls start this small, also after a limit was met: a record that was sent can't move to another shard. */
const MIN_WINDOW = 16;
const MIN_WINDOW_BYTES = 8_192;

/**
 * The records for one shard, oldest first. One call is in flight at a time, so retries keep the order.
 *
 *   queue (never sent) --take--> inFlight (sent, outcome unknown) --settle--> durable
 *                     <--putBack-- when the shard has answered that it has none of them
 *
 * A record's number is its place behind the durable ones, and a record that was sent keeps its place: a
 * call that timed out and arrives late can only append the same bytes under the same numbers.
 */
export class ShardQueue {
  private queue: PendingRecord[] = [];
  /** The last record of each sub-key that is still open for more orders. */
  private readonly open = new Map<string, PendingRecord>();
  inFlight: PendingRecord[] = [];
  /** A call is in flight. */
  isCalling = false;
  /** Its plan has changed: nothing new is sent before the unsent records have moved. */
  mustMove = false;
  /** The number of the first record in flight, or of the next one that will be. */
  nextNumber = 1;
  failures = 0;
  private window = MIN_WINDOW;
  private windowBytes = MIN_WINDOW_BYTES;

  constructor(
    readonly shardId: string,
    private readonly limits: Limits,
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

  /** The records of the next call: records that were sent before come first. */
  take(): PendingRecord[] {
    if (this.inFlight.length > 0) return this.fitting(this.inFlight);
    const records = this.fitting(this.queue);
    this.inFlight = records;
    this.queue = this.queue.slice(records.length);
    for (const record of records)
      if (this.open.get(record.partitionKey) === record) this.open.delete(record.partitionKey);
    return records;
  }

  /** Applies the outcome of a call: returns the durable records; the others are tried again. */
  settle(taken: readonly boolean[], wasThrottled: boolean): PendingRecord[] {
    const durable = this.inFlight.filter((_, i) => taken[i]);
    this.inFlight = this.inFlight.filter((_, i) => !taken[i]);
    this.nextNumber += durable.length;
    if (wasThrottled) {
      const bytes = durable.reduce((sum, record) => sum + record.bytes, 0);
      this.window = Math.max(MIN_WINDOW, durable.length * 2);
      this.windowBytes = Math.max(MIN_WINDOW_BYTES, bytes * 2);
    } else {
      this.window = Math.min(MAX_CALL_RECORDS, this.window * 2);
      this.windowBytes = Math.min(MAX_CALL_BYTES, this.windowBytes * 2);
    }
    return durable;
  }

  /** The shard has none of the records in flight, and will never have them. */
  putBack(): void {
    this.queue.unshift(...this.inFlight);
    this.inFlight = [];
  }

  /** Removes all records: the shard is closed, or the stamps are void. */
  drain(): UnsentOrder[] {
    return this.drainRecords().flatMap(record => record.withdraw());
  }

  drainRecords(): PendingRecord[] {
    this.putBack();
    const records = this.queue;
    this.queue = [];
    this.open.clear();
    return records;
  }

  hasUnsent(wanted: (record: PendingRecord) => boolean): boolean {
    return this.queue.some(wanted);
  }

  /** Removes the matching records that were never sent. */
  drainWhere(wanted: (record: PendingRecord) => boolean): UnsentOrder[] {
    const out = this.queue.filter(wanted);
    if (out.length === 0) return [];
    this.queue = this.queue.filter(record => !wanted(record));
    for (const record of out)
      if (this.open.get(record.partitionKey) === record) this.open.delete(record.partitionKey);
    return out.flatMap(record => record.withdraw());
  }

  /**
   * Removes records with stamps of an earlier producer number that are certainly not in the log, and with
   * them all that has not been sent: it must get its stamps behind them.
   */
  drainVoid(producer: number): UnsentOrder[] {
    const isVoid = (record: PendingRecord) => record.producer !== producer && !record.isUncertain;
    const unsent = this.isCalling ? [] : this.inFlight.filter(isVoid);
    if (unsent.length > 0) this.inFlight = this.inFlight.filter(record => !unsent.includes(record));
    const isLater = (record: PendingRecord) => isVoid(record) || (unsent.length > 0 && !record.isUncertain);
    return [...unsent.flatMap(record => record.withdraw()), ...this.drainWhere(isLater)];
  }

  /** Later orders go into new records. */
  seal(): void {
    this.open.clear();
  }

  /**
   * One record at least, and no more than the window allows. Where records can fail alone, one of each
   * sub-key: a later order of an account must not become durable before an earlier one.
   */
  private fitting(records: readonly PendingRecord[]): PendingRecord[] {
    const producer = records[0]?.producer;
    const keys = new Set<string>();
    let bytes = 0;
    let count = 0;
    for (const record of records) {
      bytes += record.bytes;
      const isTooMuch = count >= this.window || bytes > this.windowBytes || record.producer !== producer;
      if (count > 0 && (isTooMuch || keys.has(record.partitionKey))) break;
      if (!this.limits.isAtomic) keys.add(record.partitionKey);
      count += 1;
    }
    return records.slice(0, count);
  }

  /** Calls back with each record that is not durable. */
  forEachPending(visit: (record: PendingRecord) => void): void {
    for (const record of this.inFlight) visit(record);
    for (const record of this.queue) visit(record);
  }
}
