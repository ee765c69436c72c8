import { setTimeout as sleep } from "node:timers/promises";
import type { Order } from "../domain/orders/order";
import { type RunningLoop, runLoop } from "../runtime/run-loop";
import { OrderProducer } from "./producer";
import type { ProducerDeps } from "./producer-deps";
import type { Receipt } from "./receipt";

export type ProducerLoopsOptions = Omit<ProducerDeps, "onWork"> & {
  /** How long orders are collected before a record is sent, milliseconds. */
  lingerMs: number;
  /** How often the watermark is published, milliseconds. */
  publishEveryMs: number;
  /** Without orders for this time the producer leaves the registry, so that no reader waits for it. */
  idleMs: number;
  onError: (error: unknown) => void;
};

const MAP_EVERY_MS = 1_000;
const MAX_MAP_BACKOFF_MS = 1_000;
const PLANS_EVERY_MS = 250;
const IDLE_MS = 1_000;
const JOIN_TIMEOUT_MS = 2_000;
const JOIN_POLL_MS = 5;

/** A producer with its loops, for one process. It joins the log with the first order. */
export class ProducerLoops {
  readonly producer: OrderProducer;
  private readonly active = new Set<string>();
  private publishing: RunningLoop | null = null;
  private following: RunningLoop | null = null;
  private isStopping = false;
  /** The publishing waits for the next order. */
  private isIdle = false;
  private lastOrderMs = Number.NEGATIVE_INFINITY;
  private plansAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: ProducerLoopsOptions) {
    this.producer = new OrderProducer({ ...options, onWork: shardId => this.wake(shardId) });
  }

  /**
   * Resolves when the orders are in the buffer, stamped; the receipt's `durable` when they are in the log.
   * @throws AppError BUSY with `retryAfterMs`
   */
  async submit(orders: readonly Order[]): Promise<Receipt> {
    this.lastOrderMs = performance.now();
    if (this.isIdle) this.publishing?.wake();
    this.isIdle = false;
    if (!this.producer.takesOrders) await this.waitForJoin();
    return this.producer.accept(orders);
  }

  /** Waits until the buffered orders are durable, at most `timeoutMs`, and leaves the registry. */
  async stop(timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (this.producer.buffered > 0 && performance.now() < deadline) await sleep(5);
    this.isStopping = true;
    await Promise.all([this.publishing?.stop(), this.following?.stop()]);
    if (this.producer.buffered > 0) this.producer.failPending();
    else await this.producer.leave().catch(this.options.onError);
  }

  private async waitForJoin(): Promise<void> {
    this.publishing ??= this.startPublishing();
    this.following ??= this.startFollowing();
    const deadline = performance.now() + JOIN_TIMEOUT_MS;
    while (!this.producer.takesOrders && performance.now() < deadline) await sleep(JOIN_POLL_MS);
  }

  private startPublishing(): RunningLoop {
    const { publishEveryMs, idleMs, onError } = this.options;
    return runLoop({
      name: "publish watermark",
      everyMs: publishEveryMs,
      maxBackoffMs: 500,
      step: async () => {
        const { producer } = this;
        const nowMs = performance.now();
        if (producer.buffered === 0 && nowMs - this.lastOrderMs > idleMs) {
          if (producer.number !== null) await producer.leave();
          this.isIdle = producer.buffered === 0 && performance.now() - this.lastOrderMs > idleMs;
          return this.isIdle ? { waitMs: IDLE_MS } : "idle";
        }
        if (nowMs - this.plansAtMs > PLANS_EVERY_MS) {
          producer.followPlans();
          this.plansAtMs = nowMs;
        }
        await producer.publish();
        if (producer.needsMap) this.following?.wake();
        return producer.isRestamping ? "again" : "idle";
      },
      onError,
    });
  }

  /** A loop of its own: the watermark must be published while the shards are listed. */
  private startFollowing(): RunningLoop {
    return runLoop({
      name: "follow shards",
      everyMs: MAP_EVERY_MS,
      maxBackoffMs: MAX_MAP_BACKOFF_MS,
      step: async () => {
        if (this.producer.number !== null) await this.producer.refreshMap();
        return "idle";
      },
      onError: this.options.onError,
    });
  }

  /** Sends a queue until it is empty; one run per queue at a time. */
  private wake(shardId: string): void {
    if (this.active.has(shardId)) return;
    this.active.add(shardId);
    void this.runQueue(shardId);
  }

  private async runQueue(shardId: string): Promise<void> {
    const { lingerMs } = this.options;
    await sleep(lingerMs);
    while (!this.isStopping) {
      const step = await this.producer.stepQueue(shardId);
      if (step.next === "idle") break;
      await sleep(step.next === "wait" ? step.ms : lingerMs);
    }
    this.active.delete(shardId);
    if (!this.isStopping && this.producer.pendingQueues().includes(shardId) && this.producer.number !== null)
      this.wake(shardId);
  }
}
