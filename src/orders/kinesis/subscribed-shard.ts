import { setTimeout as sleep } from "node:timers/promises";
import type { SubscribeToShardEvent, SubscribeToShardEventStream } from "@aws-sdk/client-kinesis";
import type { ReadRecord } from "../../domain/orders/order-log";
import { backoffMs } from "../../runtime/backoff";
import { OrderLogSetupError } from "../order-log-setup-error";
import type { ShardSubscriber } from "./fanout-consumer";
import type { Start } from "./kinesis-calls";
import { explained, faultOf, nameOf } from "./kinesis-fault";
import { shardNameOf } from "./kinesis-shards";
import { isUnknownPosition } from "./polled-shard";
import { ReadAhead } from "./read-ahead";
import type { OnProblem, ShardReader } from "./shard-reader";

/** Kinesis allows a consumer one subscription a second to a shard, and none within 5 s of the last good one. */
const BETWEEN_SUBSCRIPTIONS_MS = 1_000;
const MAX_BACKOFF_MS = 5_000;
/** An idle shard, too, sends an event every few seconds. */
const SILENCE_MS = 30_000;
/** With this many records, or bytes, in the buffer no further event is read. An event has a few MB at most. */
const MAX_AHEAD = 2_000;
const MAX_AHEAD_BYTES = 4 * 1_048_576;

export type SubscribedShardDeps = {
  stream: string;
  subscriber: ShardSubscriber;
  onProblem: OnProblem;
  betweenMs?: number;
  silenceMs?: number;
};

/**
 * Receives the records of a shard by enhanced fan-out. A subscription ends after five minutes and is renewed
 * at its last position. While its buffer is full it reads no events, so the connection slows Kinesis down.
 *
 *   subscribing --answer--> receiving --5 min--> subscribing … --last event of the shard--> ended
 */
export class SubscribedShard implements ShardReader {
  private readonly ahead: ReadAhead;
  private readonly closing = new AbortController();
  private setupError: OrderLogSetupError | null = null;
  private continueAfter: string | null = null;
  private onTaken: () => void = () => {};

  /** @param after the position to read from */
  constructor(
    private readonly shardId: string,
    after: string,
    private readonly deps: SubscribedShardDeps,
  ) {
    this.ahead = new ReadAhead(after);
    void this.run();
  }

  take(limit: number): ReadRecord[] {
    const { setupError } = this;
    this.setupError = null;
    if (setupError) throw setupError;
    const records = this.ahead.take(limit);
    if (!this.isFull) this.onTaken();
    return records;
  }

  close(): void {
    this.closing.abort();
    this.onTaken();
  }

  private get isFull(): boolean {
    return this.ahead.size >= MAX_AHEAD || this.ahead.bytes >= MAX_AHEAD_BYTES;
  }

  private async run(): Promise<void> {
    const { betweenMs = BETWEEN_SUBSCRIPTIONS_MS } = this.deps;
    const { signal } = this.closing;
    let failures = 0;
    while (!signal.aborted && !this.ahead.hasEnded) {
      const startedMs = performance.now();
      try {
        await this.receive();
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        this.onFailure(error);
      }
      const waitMs = failures > 0 ? backoffMs(failures, betweenMs, MAX_BACKOFF_MS) : 0;
      const elapsedMs = performance.now() - startedMs;
      await sleep(Math.max(waitMs, betweenMs - elapsedMs), null, { signal }).catch(() => {});
    }
  }

  private async receive(): Promise<void> {
    const { subscriber, silenceMs = SILENCE_MS } = this.deps;
    const quiet = new AbortController();
    const signal = AbortSignal.any([this.closing.signal, quiet.signal]);
    const start: Start =
      this.continueAfter === null
        ? this.ahead.start
        : { type: "AFTER_SEQUENCE_NUMBER", number: this.continueAfter };
    if (this.continueAfter === null) this.ahead.resume();
    let watch = setTimeout(() => quiet.abort(), silenceMs);
    try {
      for await (const event of await subscriber.subscribe(shardNameOf(this.shardId), start, signal)) {
        clearTimeout(watch);
        this.accept(readEvent(event));
        while (this.isFull && !this.closing.signal.aborted && !this.ahead.hasEnded)
          await new Promise<void>(resolve => {
            this.onTaken = resolve;
          });
        if (this.ahead.hasEnded || this.closing.signal.aborted) return;
        watch = setTimeout(() => quiet.abort(), silenceMs);
      }
    } finally {
      clearTimeout(watch);
    }
  }

  private accept({ Records, ContinuationSequenceNumber, ChildShards }: SubscribeToShardEvent): void {
    this.ahead.push(Records ?? []);
    if (ContinuationSequenceNumber) this.continueAfter = ContinuationSequenceNumber;
    // Only the last event of a shard names child shards; there is no position to continue from.
    if (!ContinuationSequenceNumber || (ChildShards?.length ?? 0) > 0) this.ahead.end();
  }

  private onFailure(error: unknown): void {
    if (isUnknownPosition(error) && this.ahead.start.type !== "TRIM_HORIZON") {
      this.continueAfter = null;
      this.ahead.lose();
      return;
    }
    const name = nameOf(error);
    if (faultOf(name) === "throttled") return;
    const problem = explained(error, this.deps.stream);
    if (problem instanceof OrderLogSetupError) this.setupError = problem;
    else
      this.deps.onProblem("shard subscription failed", {
        shardId: this.shardId,
        err: error,
        ...(name === "ResourceInUseException" && { advice: SAME_CONSUMER }),
      });
  }
}

const SAME_CONSUMER = "if this lasts, another process uses the same KINESIS_CONSUMER: give each its own";

/** Kinesis may send an error as an event. */
function readEvent(event: SubscribeToShardEventStream): SubscribeToShardEvent {
  if (event.SubscribeToShardEvent) return event.SubscribeToShardEvent;
  throw Object.values(event).find(value => value instanceof Error) ?? new Error("unknown event of a shard");
}
