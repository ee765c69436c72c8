import { randomUUID } from "node:crypto";
import type { RedisClient } from "../store/redis";
import { Collector } from "./collect";
import type { Instruments } from "./instruments";
import { Pending } from "./pending";
import { floorTo, ROLLUPS } from "./rollups";
import { type Batch, writeRollups } from "./write-rollups";

/** The kind of process: a chart without a reporting process has no data, not zeros. */
export type ProcessKind = "server" | "relay" | "aggregator" | "engine";

export function heartbeatId(kind: ProcessKind): string {
  return `up.${kind}`;
}

export type FlusherOptions = {
  redis: RedisClient;
  instruments: Instruments;
  kind: ProcessKind;
  /** The first failure after a success: an outage begins. */
  onOutage: (error: unknown) => void;
  /** Replaces the clock in tests. */
  now?: () => number;
};

/** About two milliseconds of Redis' time. */
const MAX_AMOUNTS = 2_000;
/** A process that was stopped for longer was not up. */
const MAX_LATE_MS = 10_000;
/** After the full second, with a different delay in each process. */
const FIRST_MS = 20;
const SPREAD_MS = 100;

/**
 * Once a second: takes the counts and adds them to the rollups. No caller waits for Redis; during an
 * outage the amounts are merged in memory, and later added to the time in which they were counted. Times
 * are those of this process's clock: clocks that differ move counts between neighbouring buckets.
 */
export class Flusher {
  private readonly id = randomUUID();
  private readonly collector: Collector;
  private readonly pending: Pending;
  private readonly now: () => number;
  /** Sent unchanged until Redis has confirmed it, see writeRollups. */
  private currentBatch: Batch | null = null;
  private batches = 0;
  private sending: Promise<void> | null = null;
  private isOut = false;
  private lastSecondMs: number;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: FlusherOptions) {
    const { instruments, now = Date.now } = options;
    this.now = now;
    this.lastSecondMs = floorTo(now(), 1_000) - 1_000;
    const dropped = instruments.counters({
      name: "telemetry_dropped_buckets_total",
      help: "Buckets that waited for Redis for too long, by rollup.",
      label: "rollup",
      values: ROLLUPS.map(({ name }) => name),
    });
    this.pending = new Pending(({ name }) => dropped[name]!.inc());
    this.collector = new Collector(instruments.families);
  }

  start(): void {
    const offsetMs = FIRST_MS + Math.random() * SPREAD_MS;
    const schedule = () => {
      this.timer = setTimeout(
        () => {
          this.collect();
          void this.send();
          schedule();
        },
        1_000 - ((this.now() - offsetMs) % 1_000),
      );
    };
    schedule();
  }

  /** Takes what was counted, for the second that has just ended. */
  collect(): void {
    const secondMs = floorTo(this.now(), 1_000) - 1_000;
    const alive = { id: heartbeatId(this.options.kind), how: "sum", value: 1 } as const;
    // A late timer makes no gap.
    const firstMs = Math.max(this.lastSecondMs + 1_000, secondMs - MAX_LATE_MS);
    for (let ms = firstMs; ms < secondMs; ms += 1_000) this.pending.add(ms, [alive]);
    const isNew = secondMs !== this.lastSecondMs;
    this.pending.add(secondMs, isNew ? [alive, ...this.collector.collect()] : this.collector.collect());
    this.lastSecondMs = secondMs;
  }

  /** Sends all pending buckets, one batch after the other; stops at the first failure and never rejects. */
  send(): Promise<void> {
    this.sending ??= this.drain()
      .then(
        () => {
          this.isOut = false;
        },
        (error: unknown) => {
          if (!this.isOut) this.options.onOutage(error);
          this.isOut = true;
        },
      )
      .finally(() => {
        this.sending = null;
      });
    return this.sending;
  }

  /** Buckets that Redis has not confirmed. */
  get pendingBuckets(): number {
    return this.pending.size + (this.currentBatch?.buckets.length ?? 0);
  }

  /** One last flush of what there is. */
  async stop(): Promise<void> {
    clearTimeout(this.timer);
    await this.sending;
    this.collect();
    await this.send();
  }

  private async drain(): Promise<void> {
    for (;;) {
      this.currentBatch ??= this.nextBatch();
      if (!this.currentBatch) return;
      await writeRollups(this.options.redis, this.currentBatch);
      this.currentBatch = null;
    }
  }

  private nextBatch(): Batch | null {
    const buckets = this.pending.take(MAX_AMOUNTS);
    if (buckets.length === 0) return null;
    this.batches += 1;
    return { process: this.id, number: this.batches, buckets };
  }
}
