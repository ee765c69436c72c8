import type { ShardMap } from "../domain/orders/hash-range";
import type { Order } from "../domain/orders/order";
import type { AppendResult } from "../domain/orders/order-log";
import { backoffMs } from "../runtime/backoff";
import type { ProducerId, PublishAnswer, Watermark } from "../store/producer-registry";
import { busy, unknownState } from "./busy";
import { byStamp, type PendingRecord, type UnsentOrder } from "./pending-record";
import type { ProducerDeps, ShardQueueStep } from "./producer-deps";
import { Receipt } from "./receipt";
import type { ShardQueue } from "./shard-queue";
import { ShardQueues } from "./shard-queues";

const UNCONFIRMED_POLL_MS = 5;

type Published = Extract<PublishAnswer, { joined: true }>;

/**
 * Stamps orders, packs them into records, and appends them to the log: one call in flight per shard, only
 * failed records are retried, and no order is dropped. Its watermark in the registry claims: "all my orders
 * up to this time are durable, except for these symbols". ProducerLoops calls `stepQueue` and `publish`.
 *
 *   joining --join--> joined --fenced--> settling --all calls answered--> joining (restamps its orders)
 */
export class OrderProducer {
  private readonly queues: ShardQueues;
  private map: ShardMap | null = null;
  private id: number | null = null;
  private lastId = 0;
  /** A registry that was restored from a backup may give a number twice: this tells the two producers apart. */
  private incarnation = "";
  private isFenced = false;
  /** Orders with void stamps, in their old order. Each `publish` gives some of them new stamps. */
  private toRestamp: UnsentOrder[] = [];
  private mapIsStale = false;
  private lastUs = 0;
  /** By this machine's clock: the registry can't have evicted this producer before then. */
  private joinedUntilUs = 0;
  private sequence = 0;
  /** Symbols with a lagging engine, and until when they are paused by this machine's clock. */
  private pausedUntilUs: ReadonlyMap<string, number> = new Map();
  buffered = 0;
  /** Orders that became durable since the start. */
  durable = 0;
  private readonly rate = new DurableRate();

  constructor(private readonly deps: ProducerDeps) {
    this.queues = new ShardQueues(deps, () => this.map!);
  }

  /** The number that the registry gave; null while this producer has not joined. */
  get number(): number | null {
    return this.isFenced ? null : this.id;
  }

  pendingQueues(): string[] {
    return this.queues.all.filter(queue => !queue.isEmpty).map(queue => queue.shardId);
  }

  /** New stamps must be above every watermark that readers may have used: the registry says where to start. */
  async join(): Promise<void> {
    const { log, registry, clock } = this.deps;
    const map = await log.readMap();
    const sentUs = clock.localNowUs();
    const former = { producer: this.lastId, lastUs: this.lastUs };
    const joined = await clock.observe(() => registry.join(map.version, former));
    this.extendJoined(sentUs);
    this.lastUs = Math.max(this.lastUs, joined.startUs + 1);
    this.map = map;
    this.id = joined.producer;
    this.lastId = joined.producer;
    this.incarnation = joined.incarnation;
    this.isFenced = false;
  }

  /**
   * Takes orders into the buffer: all of them or none. The receipt resolves when they are durable.
   * @throws AppError BUSY with `retryAfterMs`: the buffer is full, a symbol is paused, or not joined
   */
  accept(orders: readonly Order[]): Receipt {
    const { clock, settings } = this.deps;
    if (this.id === null || !this.takesOrders || !this.map)
      throw busy("This server is joining the order log", 50);
    if (this.buffered + orders.length > settings.maxBuffered) {
      const excess = this.buffered + orders.length - settings.maxBuffered;
      throw busy("The order buffer is full", this.rate.msFor(excess));
    }
    this.refusePaused(orders);
    const receipt = new Receipt(orders.length);
    this.lastUs = Math.max(this.lastUs, clock.nowUs());
    const stamp = { timeUs: this.lastUs, sequence: this.sequence, receipt, producer: this.id };
    for (const order of orders) {
      stamp.sequence += 1;
      this.queues.add(order, stamp);
    }
    this.sequence = stamp.sequence;
    this.buffered += orders.length;
    return receipt;
  }

  /** Sends one call of a shard's queue. Never rejects: after a failed call it returns a wait. */
  async stepQueue(shardId: string): Promise<ShardQueueStep> {
    const { fences } = this.deps.log;
    const queue = this.queues.of(shardId);
    if (!queue || queue.isEmpty) return { next: "idle" };
    // Without fences only the producer itself can hold late orders back: after a pause it publishes first.
    if (!fences && this.deps.clock.localNowUs() > this.joinedUntilUs)
      return { next: "wait", ms: UNCONFIRMED_POLL_MS };
    // While stamps are void, only calls of unknown outcome are repeated.
    if (this.isFenced && queue.inFlight.length === 0) return { next: "idle" };
    if (queue.mustMove && queue.inFlight.length === 0) {
      this.moveByPlan(queue);
      if (queue.isEmpty) return { next: "idle" };
    }
    const records = queue.take();
    const result = await this.append(queue, records);
    // A log without fences may have taken a record in another shard than the closed one.
    if (!result || (result.outcome === "closed" && !fences))
      for (const record of queue.inFlight) record.isUncertain = true;
    if (!result) return this.waitAfterFailure(queue);
    this.deps.onAppend?.(shardId, result, records);
    const settled = queue.settle(result.taken, result.outcome === "throttled");
    for (const record of settled) this.settle(record);
    if (!fences && this.number !== null && this.number !== records[0]!.producer)
      this.restampFirst(queue.drainVoid(this.number));
    return this.nextStep(queue, result, { settled: settled.length, sent: records.length });
  }

  /** Null: the call failed, and its outcome is unknown. */
  private async append(queue: ShardQueue, records: readonly PendingRecord[]): Promise<AppendResult | null> {
    queue.isCalling = true;
    const result = await this.deps.log
      .append({
        shardId: queue.shardId,
        producer: records[0]!.producer,
        incarnation: this.incarnation,
        firstNumber: queue.nextNumber,
        records: records.map(record => ({ partitionKey: record.partitionKey, data: record.encode() })),
      })
      .catch(() => null);
    queue.isCalling = false;
    return result;
  }

  private nextStep(
    queue: ShardQueue,
    { outcome, retryAfterMs }: AppendResult,
    { settled, sent }: { settled: number; sent: number },
  ): ShardQueueStep {
    // Records behind a refused call may have been taken by an earlier call: their outcome is asked for next.
    const hasMoreInFlight = settled === sent && queue.inFlight.length > 0;
    switch (outcome) {
      case "ok":
        // A record may have failed on its own.
        if (settled < sent) return this.waitAfterFailure(queue);
        queue.failures = 0;
        return { next: queue.isEmpty ? "idle" : "again" };
      case "throttled":
        if (settled > 0) queue.failures = 0;
        return this.waitAfterFailure(queue, retryAfterMs ?? 0);
      case "fenced":
        this.isFenced = true;
        return hasMoreInFlight ? { next: "again" } : putBack(queue, { next: "idle" });
      case "forgotten":
        this.isFenced = true;
        this.fail(queue.inFlight);
        queue.inFlight = [];
        return { next: "idle" };
      case "closed":
        // The next refresh of the shard map moves the rest of the queue.
        this.mapIsStale = true;
        if (hasMoreInFlight) return { next: "again" };
        return putBack(queue, { next: "wait", ms: this.deps.settings.backoffMs });
    }
  }

  /** Each failure in a row waits longer, and at least as long as the log asked for. */
  private waitAfterFailure(queue: ShardQueue, atLeastMs = 0): ShardQueueStep {
    const { settings, random } = this.deps;
    queue.failures += 1;
    const ms = backoffMs(queue.failures, settings.backoffMs, settings.maxBackoffMs, random);
    return { next: "wait", ms: Math.max(atLeastMs, ms) };
  }

  /** Publishes the watermark and learns the time; rejoins after a fence. Rejects when the registry fails. */
  async publish(): Promise<void> {
    const { registry, clock } = this.deps;
    if (this.isFenced) return this.rejoin();
    if (this.id === null) return this.join();
    const sentUs = clock.localNowUs();
    const answer = await clock.observe(() => registry.publish(this.claimant(this.id!), this.watermark()));
    if (!answer.joined) {
      this.isFenced = true;
      return this.rejoin();
    }
    this.extendJoined(sentUs);
    this.noteAnswer(answer, sentUs);
    this.rate.note(this.durable, { nowUs: clock.localNowUs(), isBusy: this.buffered > 0 });
    this.restampSome();
  }

  /**
   * Follows a reshard. A shard is used only after the registry knows that this producer may write to it.
   * `publish` goes on in the meantime: listing the shards can take longer than a producer may be silent.
   */
  async refreshMap(): Promise<void> {
    const { log, registry, clock } = this.deps;
    const map = await log.readMap();
    const id = this.number;
    if (id === null) return;
    if (map.version !== this.map?.version) {
      const watermark = { ...this.watermark(), mapVersion: map.version };
      const answer = await clock.observe(() => registry.publish(this.claimant(id), watermark));
      // The producer has rejoined in the meantime, with a newer map.
      if (this.number !== id) return;
      if (!answer.joined) {
        this.isFenced = true;
        return;
      }
      this.map = map;
    }
    this.mapIsStale = false;
    this.queues.leaveClosed(new Set(map.open.map(({ id }) => id)));
  }

  /**
   * Follows a split: unsent records of sub-keys that the plan has no more move to the present ones, as soon
   * as the outcome of what was sent before them is known. Their stamps stay, and so does the order.
   */
  followPlans(): void {
    if (this.number === null) return;
    for (const queue of this.queues.all) {
      queue.mustMove = queue.hasUnsent(record => this.isUnplaced(record));
      if (queue.mustMove && queue.inFlight.length === 0) this.moveByPlan(queue);
    }
  }

  private moveByPlan(queue: ShardQueue): void {
    queue.mustMove = false;
    this.queues.move(queue.drainWhere(record => this.isUnplaced(record)));
  }

  private isUnplaced({ symbol, partitionKey }: PendingRecord): boolean {
    return !this.deps.isPlaced(symbol, partitionKey, this.map!);
  }

  /** While orders are restamped no new orders are taken. */
  get isRestamping(): boolean {
    return this.toRestamp.length > 0;
  }

  get takesOrders(): boolean {
    return this.number !== null && !this.isRestamping;
  }

  /** True while a reshard has to be followed before anything else can be sent. */
  get needsMap(): boolean {
    return this.id !== null && this.mapIsStale;
  }

  /** Leaves the registry; everything must be durable. */
  async leave(): Promise<void> {
    const { id } = this;
    if (id === null) return;
    this.id = null;
    await this.deps.registry.leave(this.claimant(id));
    this.queues.clear();
  }

  /** Orders that did not become durable in time: their state is unknown. */
  failPending(): void {
    for (const queue of this.queues.all) this.fail(queue.drainRecords());
    for (const { receipt } of this.toRestamp) receipt.fail(unknownState());
    this.toRestamp = [];
    this.buffered = 0;
  }

  private watermark(): Watermark {
    const nowUs = Math.max(this.lastUs, this.deps.clock.nowUs());
    // Later stamps are above this claim.
    this.lastUs = nowUs + 1;
    return { throughUs: nowUs, mapVersion: this.map?.version ?? 0, except: this.queues.exceptions() };
  }

  /** In a log with fences all stamps are void now; in others those of orders that would come too late. */
  private async rejoin(): Promise<void> {
    const { queues } = this;
    if (!this.deps.log.fences) {
      await this.join();
      this.restampFirst(queues.all.flatMap(queue => queue.drainVoid(this.id!)));
      return;
    }
    if (queues.all.some(queue => queue.inFlight.length > 0)) {
      for (const queue of queues.all) if (queue.inFlight.length > 0) this.deps.onWork?.(queue.shardId);
      return;
    }
    // The slow part comes before the join: a producer that is silent right after it is fenced again.
    this.restampFirst(queues.all.flatMap(queue => queue.drain()));
    this.queues.clear();
    await this.join();
  }

  /** Orders whose stamps become void now are older than those that wait for new ones. */
  private restampFirst(orders: UnsentOrder[]): void {
    this.toRestamp = orders.sort(byStamp).concat(this.toRestamp);
  }

  /** Gives present stamps to some of the orders whose stamps are void, in their old order. */
  private restampSome(): void {
    this.lastUs = Math.max(this.lastUs, this.deps.clock.nowUs());
    for (const order of this.toRestamp.splice(0, this.deps.settings.restampedAtOnce)) {
      this.sequence += 1;
      const stamp = { timeUs: this.lastUs, sequence: this.sequence, producer: this.id! };
      this.queues.enqueue({ ...order, ...stamp, isUncertain: false });
    }
  }

  private claimant(producer: number): ProducerId {
    return { producer, incarnation: this.incarnation };
  }

  /** After a step back of the clock all producers continue from the highest stamp, or each waits for the others. */
  private noteAnswer({ highestUs, pausedUs }: Published, sentUs: number): void {
    this.lastUs = Math.max(this.lastUs, highestUs);
    this.pausedUntilUs = new Map(Object.entries(pausedUs).map(([symbol, us]) => [symbol, sentUs + us]));
  }

  /** The registry has answered a call that was sent at this time. */
  private extendJoined(sentUs: number): void {
    this.joinedUntilUs = sentUs + this.deps.settings.silenceMs * 1_000;
  }

  /** @throws AppError BUSY with `retryAfterMs` when one of the orders is for a paused symbol */
  private refusePaused(orders: readonly Order[]): void {
    const nowUs = this.deps.clock.localNowUs();
    for (const { symbol } of orders) {
      const leftMs = ((this.pausedUntilUs.get(symbol) ?? 0) - nowUs) / 1_000;
      if (leftMs > 0) throw busy(`${symbol} is paused: its engine lags behind`, Math.ceil(leftMs));
    }
  }

  private fail(records: readonly PendingRecord[]): void {
    const error = unknownState();
    for (const record of records) {
      this.buffered -= record.count;
      record.fail(error);
    }
  }

  private settle(record: PendingRecord): void {
    this.buffered -= record.count;
    this.durable += record.count;
    record.settle();
  }
}

/** The shard has none of the records in flight, and will never have them. */
function putBack(queue: ShardQueue, step: ShardQueueStep): ShardQueueStep {
  queue.putBack();
  return step;
}

/** The rate of durable orders is taken over so much time in which orders waited, microseconds. */
const OVER_US = 200_000;
const [LEAST_MS, UNKNOWN_MS, MOST_MS] = [20, 50, 5_000];

/** How fast orders become durable while some wait: a refused caller learns when there may be room again. */
export class DurableRate {
  /** Of the time in which orders have waited without a break. */
  private since: { us: number; durable: number } | null = null;
  private perMs: number | null = null;

  /** @param durable orders since the start; @param isBusy whether orders wait */
  note(durable: number, { nowUs, isBusy }: { nowUs: number; isBusy: boolean }): void {
    if (!isBusy) {
      this.since = null;
      return;
    }
    this.since ??= { us: nowUs, durable };
    const us = nowUs - this.since.us;
    if (us < OVER_US) return;
    this.perMs = ((durable - this.since.durable) / us) * 1_000;
    this.since = { us: nowUs, durable };
  }

  /** Milliseconds until this number of orders has left the buffer: 20 to 5,000. */
  msFor(orders: number): number {
    if (this.perMs === null) return UNKNOWN_MS;
    return Math.min(MOST_MS, Math.max(LEAST_MS, Math.ceil(orders / this.perMs)));
  }
}
