import { randomBytes } from "node:crypto";
import type { ShardMap } from "../domain/orders/hash-range";
import type { Order } from "../domain/orders/order";
import type { Watermark } from "../store/producer-registry";
import { busy, unknownFate } from "./busy";
import { DurableRate } from "./durable-rate";
import { PausedSymbols } from "./paused-symbols";
import type { PendingRecord } from "./pending-record";
import type { ProducerDeps, ShardQueueStep } from "./producer-deps";
import { Receipt } from "./receipt";
import { ShardQueues } from "./shard-queues";
import { VoidStamps } from "./void-stamps";
import { waitAfterFailure } from "./wait-after-failure";
import { watermarkOf } from "./watermark-of";

const UNSURE_POLL_MS = 5;

/**
 * Stamps orders, packs them into records, and brings them into the log: one call in flight per shard,
 * only what failed is sent again, and nothing is dropped. What it tells the registry is the claim that
 * everything rests on: "all my orders up to this time are durable, except for these symbols".
 *
 * It has no timers of its own: ProducerLoops calls `stepQueue` and `publish`.
 *
 *   joining --join--> joined --fenced--> settling --all calls answered--> joining (stamps anew)
 */
export class OrderProducer {
  private readonly queues: ShardQueues;
  private map: ShardMap | null = null;
  private id: number | null = null;
  /** Tells this producer from another that a registry which was taken back has given the same number. */
  private incarnation = "";
  private isFenced = false;
  private readonly unstamped = new VoidStamps();
  private mapIsStale = false;
  private lastUs = 0;
  /** By this machine's clock: until then it can't have been left out. */
  private sureUntilUs = 0;
  private sequence = 0;
  private readonly paused = new PausedSymbols();
  buffered = 0;
  /** Orders that became durable since the start. */
  durable = 0;
  private readonly rate = new DurableRate();

  constructor(private readonly deps: ProducerDeps) {
    this.queues = new ShardQueues(deps, () => this.map!);
  }

  /** The number that the registry gave; null while it has none. */
  get number(): number | null {
    return this.isFenced ? null : this.id;
  }

  pendingQueues(): string[] {
    return this.queues.all.filter(queue => !queue.isEmpty).map(queue => queue.shardId);
  }

  /** Stamps must lie above everything that readers may have let go: the registry says where to start. */
  async join(): Promise<void> {
    const { log, registry, clock } = this.deps;
    const map = await log.readMap();
    const sentUs = clock.localNowUs();
    const joined = await clock.observe(() => registry.join(map.version));
    this.heardSince(sentUs);
    this.lastUs = Math.max(this.lastUs, joined.startUs + 1);
    this.map = map;
    this.id = joined.producer;
    this.incarnation = randomBytes(6).toString("hex");
    this.isFenced = false;
  }

  /**
   * Takes orders into the buffer: all of them or none. The receipt tells when they are durable.
   * @throws AppError BUSY with `retryAfterMs`: the buffer is full, the symbol is on hold, or not joined
   */
  accept(orders: readonly Order[]): Receipt {
    const { clock, settings } = this.deps;
    if (this.id === null || !this.takesOrders || !this.map) throw busy("The order log is being joined", 50);
    if (this.buffered + orders.length > settings.maxBuffered) {
      const excess = this.buffered + orders.length - settings.maxBuffered;
      throw busy("The order buffer is full", this.rate.msFor(excess));
    }
    this.paused.refuse(orders, clock.nowUs() / 1_000);
    const receipt = new Receipt(orders.length);
    this.lastUs = Math.max(this.lastUs, clock.nowUs());
    const stamp = { timeUs: this.lastUs, sequence: this.sequence, receipt };
    for (const order of orders) {
      stamp.sequence += 1;
      this.queues.recordFor(order.symbol, order.accountId, this.id).add(order, stamp);
    }
    this.sequence = stamp.sequence;
    this.buffered += orders.length;
    return receipt;
  }

  /** Sends what waits for one shard, once. Never rejects: a failed call is answered with a wait. */
  async stepQueue(shardId: string): Promise<ShardQueueStep> {
    const queue = this.queues.of(shardId);
    if (!queue || queue.isEmpty) return { next: "idle" };
    // Nothing stops an order that comes too late but its own producer, who has to ask first after a pause.
    if (!this.deps.log.fences && this.deps.clock.localNowUs() > this.sureUntilUs)
      return { next: "wait", ms: UNSURE_POLL_MS };
    // While stamps are void only calls of unknown outcome are repeated, to learn what became of them.
    if (this.isFenced && queue.inFlight.length === 0) return { next: "idle" };
    const records = queue.take();
    const producer = records[0]!.producer;
    queue.isCalling = true;
    const result = await this.deps.log
      .append({
        shardId,
        producer,
        incarnation: this.incarnation,
        firstNumber: queue.nextNumber,
        records: records.map(record => ({ partitionKey: record.partitionKey, data: record.encode() })),
      })
      .catch(() => null);
    queue.isCalling = false;
    const { fences } = this.deps.log;
    // A log without fences may have taken a record in another shard than the one that is closed.
    if (!result || (result.outcome === "closed" && !fences))
      for (const record of queue.inFlight) record.isUncertain = true;
    if (!result) return waitAfterFailure(queue, this.deps);
    this.deps.onAppend?.(shardId, result, records);
    const settled = queue.settle(result.taken, result.outcome === "throttled");
    for (const record of settled) this.settle(record);
    if (!fences && this.number !== null && this.number !== producer)
      this.unstamped.addBehind(queue.drainVoid(this.number));
    switch (result.outcome) {
      case "ok":
        // A record may have failed alone.
        if (settled.length < records.length) return waitAfterFailure(queue, this.deps);
        queue.failures = 0;
        return { next: queue.isEmpty ? "idle" : "again" };
      case "throttled":
        if (settled.length > 0) queue.failures = 0;
        return waitAfterFailure(queue, this.deps, result.retryAfterMs ?? 0);
      case "fenced":
        this.isFenced = true;
        // What came behind them in an earlier call may be there as well.
        if (settled.length === records.length && queue.inFlight.length > 0) return { next: "again" };
        queue.putBack();
        return { next: "idle" };
      case "forgotten":
        this.isFenced = true;
        this.fail(queue.inFlight);
        queue.inFlight = [];
        return { next: "idle" };
      case "closed":
        // The next look at the shard map moves what is left.
        this.mapIsStale = true;
        if (settled.length === records.length && queue.inFlight.length > 0) return { next: "again" };
        queue.putBack();
        return { next: "wait", ms: this.deps.settings.backoffMs };
    }
  }

  /**
   * Says how far this producer is, learns the time, and mends what has changed: joins anew after a
   * fence, and follows a reshard. Rejects when the registry does not answer.
   */
  async publish(): Promise<void> {
    const { registry, clock } = this.deps;
    if (this.isFenced) return this.rejoin();
    if (this.id === null) return this.join();
    const sentUs = clock.localNowUs();
    const answer = await clock.observe(() => registry.publish(this.id!, this.watermark()));
    if (!answer.joined) {
      this.isFenced = true;
      return this.rejoin();
    }
    this.heardSince(sentUs);
    this.paused.replace(answer.paused);
    this.rate.note(this.durable, clock.nowUs());
    this.stampSome();
  }

  /**
   * Follows a reshard. A shard is used only after the registry knows that this producer may write to it.
   * `publish` may go on meanwhile: a list of shards can take longer than a producer may be silent.
   */
  async refreshMap(): Promise<void> {
    const { log, registry, clock } = this.deps;
    const map = await log.readMap();
    const id = this.number;
    if (id === null) return;
    if (map.version !== this.map?.version) {
      const watermark = { ...this.watermark(), mapVersion: map.version };
      const answer = await clock.observe(() => registry.publish(id, watermark));
      // Joined anew in the meantime, and with a map of that moment.
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
   * Follows a split: what a full shard has not taken yet goes to the sub-keys of now, instead of waiting
   * its turn there. Stamps stay, so the order does.
   */
  followPlans(): void {
    const { map } = this;
    if (this.number === null || !map) return;
    const isMoved = ({ symbol, partitionKey }: PendingRecord) =>
      !this.deps.isPlaced(symbol, partitionKey, map);
    const refused = this.queues.all.filter(queue => queue.failures > 0);
    this.queues.move(refused.flatMap(queue => queue.drainWhere(isMoved)));
  }

  /** Void stamps are being made anew, a part with each `publish`; until then nothing new is taken. */
  get isStamping(): boolean {
    return !this.unstamped.isEmpty;
  }

  get takesOrders(): boolean {
    return this.number !== null && !this.isStamping;
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
    await this.deps.registry.leave(id);
    this.queues.clear();
  }

  /** Orders that could not be made durable in time: their fate is unknown. */
  failPending(): void {
    for (const queue of this.queues.all) this.fail(queue.drainRecords());
    for (const { receipt } of this.unstamped.take(Number.POSITIVE_INFINITY)) receipt.fail(unknownFate());
    this.buffered = 0;
  }

  private watermark(): Watermark {
    const nowUs = Math.max(this.lastUs, this.deps.clock.nowUs());
    // Later stamps are above what is claimed now.
    this.lastUs = nowUs + 1;
    return watermarkOf(this.queues.all, { throughUs: nowUs, mapVersion: this.map?.version ?? 0 });
  }

  /** With fences all stamps are void by now; without, those of orders that can only come too late. */
  private async rejoin(): Promise<void> {
    const { queues } = this;
    if (!this.deps.log.fences) {
      await this.join();
      this.unstamped.addBefore(queues.all.flatMap(queue => queue.drainVoid(this.id!)));
      return;
    }
    if (queues.all.some(queue => queue.inFlight.length > 0)) {
      for (const queue of queues.all) if (queue.inFlight.length > 0) this.deps.onWork?.(queue.shardId);
      return;
    }
    // First the long work, then the join: a producer that falls silent right behind it is fenced again.
    this.unstamped.addBefore(queues.all.flatMap(queue => queue.drain()));
    this.queues.clear();
    await this.join();
  }

  /** Gives some of the orders whose stamps are void stamps of now, in the order of those before. */
  private stampSome(): void {
    this.lastUs = Math.max(this.lastUs, this.deps.clock.nowUs());
    for (const order of this.unstamped.take(this.deps.settings.stampedAtOnce)) {
      this.sequence += 1;
      const stamp = { timeUs: this.lastUs, sequence: this.sequence, producer: this.id! };
      this.queues.enqueue({ ...order, ...stamp, isUncertain: false });
    }
  }

  /** The registry has answered what was sent then. */
  private heardSince(sentUs: number): void {
    this.sureUntilUs = sentUs + this.deps.settings.silenceMs * 1_000;
  }

  private fail(records: readonly PendingRecord[]): void {
    const error = unknownFate();
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
