import { MAX_CALL_BYTES, MAX_CALL_RECORDS, recordBytes } from "../../domain/orders/order-log";
import type { KinesisCalls, PutAnswer, PutEntry } from "./kinesis-calls";

/** Puts of so many milliseconds share a call: a producer has as many shard queues as there are shards. */
const LINGER_MS = 5;

type Waiting = {
  entries: readonly PutEntry[];
  resolve: (answers: PutAnswer[]) => void;
  reject: (error: unknown) => void;
};

/** Brings records of several shards into Kinesis with one call, as many as its limits allow. */
export class PutBatcher {
  private waiting: Waiting[] = [];
  private records = 0;
  private bytes = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly calls: Pick<KinesisCalls, "putRecords">) {}

  /** Answers in the order of the entries, which one call must be able to take. Rejects with their call. */
  put(entries: readonly PutEntry[]): Promise<PutAnswer[]> {
    const bytes = entries.reduce((sum, entry) => sum + recordBytes(entry), 0);
    if (this.records + entries.length > MAX_CALL_RECORDS || this.bytes + bytes > MAX_CALL_BYTES) this.flush();
    this.records += entries.length;
    this.bytes += bytes;
    this.timer ??= setTimeout(() => this.flush(), LINGER_MS);
    return new Promise((resolve, reject) => this.waiting.push({ entries, resolve, reject }));
  }

  private flush(): void {
    if (this.timer) clearTimeout(this.timer);
    const batch = this.waiting;
    [this.waiting, this.records, this.bytes, this.timer] = [[], 0, 0, null];
    if (batch.length > 0) void this.send(batch);
  }

  private async send(batch: readonly Waiting[]): Promise<void> {
    try {
      const answers = await this.calls.putRecords(batch.flatMap(({ entries }) => entries));
      let from = 0;
      for (const { entries, resolve } of batch) {
        resolve(answers.slice(from, from + entries.length));
        from += entries.length;
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
