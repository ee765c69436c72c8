import { AppError } from "../domain/app-error";
import type { ShardMap } from "../domain/hash-range";
import type { Order } from "../domain/order";
import type { AppendResult, OrderLog } from "../domain/order-log";
import type { SubKey } from "../domain/split-placement";
import { backoffMs } from "../runtime/backoff";
import type { ProducerRegistry, Watermark } from "../store/producer-registry";
import { Lane, type RecordLimits } from "./lane";
import type { PendingRecord, UnsentOrder } from "./pending-record";
import type { SharedClock } from "./shared-clock";
import { Ticket } from "./ticket";

export type ProducerSettings = RecordLimits & {
  /** Orders that may wait in memory. */
  maxBuffered: number;
  /** Base and cap of the wait after a limit was met or a call failed, milliseconds. */
  backoffMs: number;
  maxBackoffMs: number;
};

export type ProducerDeps = {
  log: OrderLog;
  registry: ProducerRegistry;
  clock: SharedClock;
  /** The sub-key that an order takes under the symbol's plan. */
  route: (symbol: string, accountId: string, map: ShardMap) => SubKey;
  /** Whether a sub-key is one of the symbol's under its plan of now. */
  isPlaced: (symbol: string, partitionKey: string, map: ShardMap) => boolean;
  settings: ProducerSettings;
  random?: () => number;
  /** Called for each lane that has something to send. */
  onWork?: (shardId: string) => void;
  onAppend?: (shardId: string, result: AppendResult, records: readonly PendingRecord[]) => void;
};

/** `idle`: nothing to send. `again`: more waits. `wait`: try again after so long. */
export type LaneStep = { next: "idle" | "again" } | { next: "wait"; ms: number };

/**
 * Stamps orders, packs them into records, and brings them into the log: one call in flight per shard,
 * only what failed is sent again, and nothing is dropped. What it tells the registry is the claim that
 * everything rests on: "all my orders up to this time are durable, except for these symbols".
 *
 * It has no timers of its own: ProducerLoops calls `stepLane` and `publish`.
 *
 *   joining --join--> joined --fenced--> settling --all calls answered--> joining (stamps anew)
 */
export class OrderProducer {
  private readonly lanes = new Map<string, Lane>();
  private map: ShardMap | null = null;
  private id: number | null = null;
  private isFenced = false;
  private mapIsStale = false;
  private lastUs = 0;
  private sequence = 0;
  private holds: Record<string, number> = {};
  buffered = 0;
  /** Orders that became durable since the start. */
  durable = 0;
  private rate = { sinceUs: 0, durable: 0, perMs: 1 };

  constructor(private readonly deps: ProducerDeps) {}

  /** The number that the registry gave; null while it has none. */
  get number(): number | null {
    return this.isFenced ? null : this.id;
  }

  get shardMap(): ShardMap | null {
    return this.map;
  }

  pendingLanes(): string[] {
    return [...this.lanes.values()].filter(lane => !lane.isEmpty).map(lane => lane.shardId);
  }

  /** Stamps must lie above everything that readers may have let go: the registry says where to start. */
  async join(): Promise<void> {
    const { log, registry, clock } = this.deps;
    const map = await log.readMap();
    const joined = await clock.observe(() => registry.join(map.version));
    this.lastUs = Math.max(this.lastUs, joined.startUs + 1);
    this.map = map;
    this.id = joined.producer;
    this.isFenced = false;
  }

  /**
   * Takes orders into the buffer: all of them or none. The ticket tells when they are durable.
   * @throws AppError BUSY with `retryAfterMs`: the buffer is full, the symbol is on hold, or not joined
   */
  accept(orders: readonly Order[]): Ticket {
    const { clock, settings } = this.deps;
    if (this.id === null || this.isFenced || !this.map) throw busy("The order log is being joined", 50);
    if (this.buffered + orders.length > settings.maxBuffered) {
      const excess = this.buffered + orders.length - settings.maxBuffered;
      throw busy(
        "The order buffer is full",
        Math.min(5_000, Math.max(20, Math.ceil(excess / this.rate.perMs))),
      );
    }
    const nowMs = clock.nowUs() / 1_000;
    for (const { symbol } of orders) {
      const untilMs = this.holds[symbol];
      if (untilMs !== undefined && untilMs > nowMs)
        throw busy(`${symbol} is behind: its orders wait to be matched`, Math.ceil(untilMs - nowMs));
    }
    const ticket = new Ticket(orders.length);
    this.lastUs = Math.max(this.lastUs, clock.nowUs());
    const stamp = { timeUs: this.lastUs, sequence: this.sequence, ticket };
    for (const order of orders) {
      stamp.sequence += 1;
      this.recordFor(order.symbol, order.accountId, this.id).add(order, stamp);
    }
    this.sequence = stamp.sequence;
    this.buffered += orders.length;
    return ticket;
  }

  /** Sends what waits for one shard, once. Never rejects: a failed call is answered with a wait. */
  async stepLane(shardId: string): Promise<LaneStep> {
    const lane = this.lanes.get(shardId);
    if (!lane || lane.isEmpty) return { next: "idle" };
    // While stamps are void only calls of unknown outcome are repeated, to learn what became of them.
    if (this.isFenced && lane.inFlight.length === 0) return { next: "idle" };
    const isFirst = !lane.isTried;
    lane.isTried = true;
    const records = lane.take();
    const producer = records[0]!.producer;
    const result = await this.deps.log
      .append({
        shardId,
        producer,
        firstNumber: lane.nextNumber,
        isFirst,
        records: records.map(record => ({ partitionKey: record.partitionKey, data: record.encode() })),
      })
      .catch(() => null);
    if (!result) return this.waitAfterFailure(lane, 0);
    this.deps.onAppend?.(shardId, result, records);
    const settled = lane.settle(result.taken, result.outcome === "throttled");
    for (const record of settled) this.settle(record);
    switch (result.outcome) {
      case "ok":
        lane.failures = 0;
        return { next: lane.isEmpty ? "idle" : "again" };
      case "throttled":
        if (settled.length > 0) lane.failures = 0;
        return this.waitAfterFailure(lane, result.retryAfterMs ?? 0);
      case "fenced":
        this.isFenced = true;
        lane.putBack();
        return { next: "idle" };
      case "closed":
        // The next look at the shard map moves what is left.
        lane.putBack();
        this.mapIsStale = true;
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
    const answer = await clock.observe(() => registry.publish(this.id!, this.watermark()));
    if (!answer.joined) {
      this.isFenced = true;
      return this.rejoin();
    }
    this.holds = answer.holds;
    const nowUs = clock.nowUs();
    if (nowUs - this.rate.sinceUs > 1_000_000) {
      const perMs = ((this.durable - this.rate.durable) / (nowUs - this.rate.sinceUs)) * 1_000;
      this.rate = { sinceUs: nowUs, durable: this.durable, perMs: Math.max(perMs, 0.1) };
    }
  }

  /** Follows a reshard. A shard is used only after the registry knows that this producer may write to it. */
  async refreshMap(): Promise<void> {
    const { log, registry, clock } = this.deps;
    const map = await log.readMap();
    if (this.number === null) return;
    if (map.version !== this.map?.version) {
      const watermark = { ...this.watermark(), mapVersion: map.version };
      const answer = await clock.observe(() => registry.publish(this.id!, watermark));
      if (!answer.joined) {
        this.isFenced = true;
        return;
      }
      this.map = map;
    }
    this.mapIsStale = false;
    // A lane whose call is still open is moved later: that shard will say again that it is closed.
    const open = new Set(map.open.map(({ id }) => id));
    for (const lane of [...this.lanes.values()]) {
      if (open.has(lane.shardId) || lane.inFlight.length > 0) continue;
      this.lanes.delete(lane.shardId);
      for (const order of lane.drain()) this.enqueue(order);
    }
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
    const refused = [...this.lanes.values()].filter(lane => lane.failures > 0);
    const orders = refused.flatMap(lane => lane.drainWhere(isMoved));
    if (orders.length === 0) return;
    for (const lane of this.lanes.values()) lane.seal();
    for (const order of orders) this.enqueue(order);
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
    this.lanes.clear();
  }

  /** Orders that could not be made durable in time: their fate is unknown. */
  failPending(): void {
    const error = busy("The process stopped before these orders were durable; ask for their state", 1_000);
    for (const lane of this.lanes.values()) for (const { ticket } of lane.drain()) ticket.fail(error);
    this.buffered = 0;
  }

  private watermark(): Watermark {
    const nowUs = Math.max(this.lastUs, this.deps.clock.nowUs());
    // Later stamps are above what is claimed now.
    this.lastUs = nowUs + 1;
    const except: Watermark["except"] = {};
    for (const lane of this.lanes.values()) {
      lane.forEachPending(({ symbol, firstUs }) => {
        const known = except[symbol];
        if (known && known.throughUs < firstUs) return;
        except[symbol] = { throughUs: firstUs - 1, shardId: lane.shardId };
      });
    }
    return { throughUs: nowUs, mapVersion: this.map?.version ?? 0, except };
  }

  /** Where stamps are checked by fences, those that are void are made anew; elsewhere they stay. */
  private async rejoin(): Promise<void> {
    if (!this.deps.log.fences) return this.join();
    if ([...this.lanes.values()].some(lane => lane.inFlight.length > 0)) {
      for (const lane of this.lanes.values()) if (lane.inFlight.length > 0) this.deps.onWork?.(lane.shardId);
      return;
    }
    await this.join();
    const orders = [...this.lanes.values()].flatMap(lane => lane.drain());
    this.lanes.clear();
    orders.sort((a, b) => a.timeUs - b.timeUs || a.sequence - b.sequence);
    this.lastUs = Math.max(this.lastUs, this.deps.clock.nowUs());
    for (const order of orders) {
      this.sequence += 1;
      this.enqueue({ ...order, timeUs: this.lastUs, sequence: this.sequence, producer: this.id! });
    }
  }

  private enqueue(order: UnsentOrder): void {
    this.recordFor(order.symbol, order.accountId, order.producer).addUnsent(order);
  }

  private recordFor(symbol: string, accountId: string, producer: number): PendingRecord {
    const { route, settings, onWork } = this.deps;
    const { partitionKey, shardId } = route(symbol, accountId, this.map!);
    let lane = this.lanes.get(shardId);
    if (!lane) {
      lane = new Lane(shardId, settings);
      this.lanes.set(shardId, lane);
    }
    onWork?.(shardId);
    return lane.recordFor(symbol, partitionKey, producer);
  }

  private settle(record: PendingRecord): void {
    this.buffered -= record.count;
    this.durable += record.count;
    record.settle();
  }

  private waitAfterFailure(lane: Lane, atLeastMs: number): LaneStep {
    lane.failures += 1;
    const { settings, random } = this.deps;
    const ms = backoffMs(lane.failures, settings.backoffMs, settings.maxBackoffMs, random);
    return { next: "wait", ms: Math.max(atLeastMs, ms) };
  }
}

function busy(what: string, retryAfterMs: number): AppError {
  return new AppError("BUSY", `${what}. Try again in ${retryAfterMs} ms.`, { retryAfterMs });
}
