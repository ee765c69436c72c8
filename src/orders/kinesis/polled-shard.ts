import type { ReadRecord } from "../../domain/orders/order-log";
import { backoffMs } from "../../runtime/backoff";
import { OrderLogSetupError } from "../order-log-setup-error";
import type { KinesisCalls } from "./kinesis-calls";
import { explained, faultOf, nameOf } from "./kinesis-fault";
import { shardNameOf } from "./kinesis-shards";
import { ReadAhead } from "./read-ahead";
import type { OnProblem, ShardReader } from "./shard-reader";

/** A shard allows 5 calls a second, for all its readers together. */
export const MIN_INTERVAL_MS = 200;
/** And 2 MiB a second. */
const BYTES_PER_MS = 2_097.152;
/** Kinesis also limits an answer to 10 MiB. */
const RECORDS_PER_CALL = 1_000;
const MAX_BACKOFF_MS = 2_000;

export type PolledShardDeps = {
  calls: KinesisCalls;
  onProblem: OnProblem;
  /** Milliseconds of a monotonic clock. */
  nowMs?: () => number;
};

/**
 * Reads a shard by GetRecords, one call at a time and never faster than the shard allows. It reads at most
 * one answer ahead: the next call waits until the records of the last one were taken.
 */
export class PolledShard implements ShardReader {
  private readonly ahead: ReadAhead;
  private iterator: string | null = null;
  private isFetching = false;
  private nextAtMs = Number.NEGATIVE_INFINITY;
  private failures = 0;
  private setupError: OrderLogSetupError | null = null;
  private readonly nowMs: () => number;

  /** @param after the position to read from */
  constructor(
    private readonly shardId: string,
    after: string,
    private readonly deps: PolledShardDeps,
  ) {
    this.ahead = new ReadAhead(after);
    this.nowMs = deps.nowMs ?? (() => performance.now());
  }

  take(limit: number): ReadRecord[] {
    const { setupError } = this;
    this.setupError = null;
    if (setupError) throw setupError;
    const records = this.ahead.take(limit);
    const isDue = this.ahead.size === 0 && !this.ahead.hasEnded && this.nowMs() >= this.nextAtMs;
    if (isDue && !this.isFetching) void this.fetch();
    return records;
  }

  close(): void {
    this.nextAtMs = Number.POSITIVE_INFINITY;
  }

  private async fetch(): Promise<void> {
    this.isFetching = true;
    const startedMs = this.nowMs();
    try {
      this.iterator ??= await this.open();
      const { Records = [], NextShardIterator } = await this.deps.calls.getRecords(
        this.iterator,
        RECORDS_PER_CALL,
      );
      this.failures = 0;
      this.ahead.push(Records);
      this.iterator = NextShardIterator ?? null;
      if (this.iterator === null) this.ahead.end();
      const bytes = Records.reduce((sum, { Data }) => sum + (Data?.length ?? 0), 0);
      this.nextAtMs = Math.max(this.nextAtMs, startedMs + Math.max(MIN_INTERVAL_MS, bytes / BYTES_PER_MS));
    } catch (error) {
      await this.onFailure(error);
    } finally {
      this.isFetching = false;
    }
  }

  private async open(): Promise<string> {
    const { calls } = this.deps;
    const name = shardNameOf(this.shardId);
    const { start } = this.ahead;
    this.ahead.resume();
    try {
      return await calls.shardIterator(name, start);
    } catch (error) {
      if (start.type === "TRIM_HORIZON" || !isUnknownPosition(error)) throw error;
      this.ahead.lose();
      return calls.shardIterator(name, { type: "TRIM_HORIZON" });
    }
  }

  private async onFailure(error: unknown): Promise<void> {
    const name = nameOf(error);
    this.failures += 1;
    this.nextAtMs = Math.max(
      this.nextAtMs,
      this.nowMs() + backoffMs(this.failures, MIN_INTERVAL_MS, MAX_BACKOFF_MS),
    );
    if (faultOf(name) === "throttled") return;
    // An iterator lives for five minutes; after a failure a new one is opened.
    this.iterator = null;
    if (name === "ExpiredIteratorException") return;
    if (name === "ResourceNotFoundException" && (await this.isMissing())) {
      this.ahead.end();
      return;
    }
    const problem = explained(error, this.deps.calls.stream);
    if (problem instanceof OrderLogSetupError) this.setupError = problem;
    else this.deps.onProblem("shard read failed", { shardId: this.shardId, err: error });
  }

  /** A closed shard disappears with its last record. */
  private async isMissing(): Promise<boolean> {
    const name = shardNameOf(this.shardId);
    const listed = await this.deps.calls.listShards().catch(() => null);
    return listed?.every(({ ShardId }) => ShardId !== name) ?? false;
  }
}

/** The shard has no record with this sequence number: it was trimmed, or belongs to another shard. */
export function isUnknownPosition(error: unknown): boolean {
  return ["InvalidArgumentException", "ResourceNotFoundException"].includes(nameOf(error));
}
