import { MAX_CALL_BYTES, MAX_CALL_RECORDS, recordBytes } from "../../domain/orders/order-log";
import type { KinesisCalls, PutAnswer, PutEntry } from "./kinesis-calls";

/** Puts within this time share a call: a producer has one queue per shard. */
const LINGER_MS = 5;

type Waiting = {
  entries: readonly PutEntry[];
  resolve: (answers: PutAnswer[]) => void;
  reject: (error: unknown) => void;
};

/** Puts records of several shards with one call, up to its limits. */
export class PutBatcher {
  private waiting: Waiting[] = [];
  private records = 0;
  private bytes = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly calls: Pick<KinesisCalls, "putRecords">) {}

  /** Resolves in the order of the entries, which must fit into one call. Rejects when the call fails. */
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
