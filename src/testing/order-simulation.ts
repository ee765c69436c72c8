import { Aggregator } from "../aggregate/aggregator";
import type { Checkpoint, ClaimedHead, OrderedFrames, OrderedOutput } from "../aggregate/ordered-output";
import { LeaseLost } from "../aggregate/ordered-output";
import { Pacemaker } from "../aggregate/pacemaker";
import type { SideEvent } from "../aggregate/side-stream";
import { evenShards, HASH_SPACE, type Shard, type ShardMap } from "../domain/hash-range";
import type { Append, AppendResult, OrderLog, ShardBatch } from "../domain/order-log";
import { PARTITIONS } from "../domain/order-partition";
import { unpackOrder } from "../domain/order-payload";
import { CLOSED_RECORD } from "../domain/order-record";
import type { Stamp } from "../domain/order-stamp";
import { decodeFrame } from "../domain/ordered-frame";
import { placePlanned, type SubKey } from "../domain/split-placement";
import { OrderProducer } from "../orders/producer";
import { SharedClock } from "../orders/shared-clock";
import type { Ticket } from "../orders/ticket";
import type { ProducerRegistry, ProducerView, RegistryView, Watermark } from "../store/producer-registry";

/** A small generator of numbers, so that a case is its seed. Mulberry32. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Waiting = { actor: Actor; go: () => void; fail: (error: Error) => void };
/** Something that can be killed: from then on nothing it waits for ever comes. */
type Actor = { isAlive: boolean };

/** Redis' part of the world: what Lua scripts do atomically happens here between two turns. */
export class World {
  nowUs = 1_700_000_000_000_000;
  faults = true;
  private readonly waiting: Waiting[] = [];
  readonly registry = new Map<number, ProducerView>();
  nextProducer = 1;
  floorUs = 0;
  registryMap = 0;
  mapVersion = 1;
  shards: Shard[];
  readonly closed = new Set<string>();
  readonly records = new Map<string, Buffer[]>();
  readonly numbers = new Map<string, Map<number, { last: number; isFenced: boolean }>>();
  readonly beatReadAt = new Map<string, number>();
  readonly heads = new Map<string, ClaimedHead & { epoch: number }>();
  readonly ordered = new Map<string, { stamp: Stamp; orderId: string; accountId: string }[]>();
  readonly side = new Map<string, SideEvent>();
  readonly checkpoints = new Map<number, { epoch: number; checkpoint: Checkpoint }>();
  private nextShard: number;
  private readonly placements = new Map<string, SubKey[]>();

  constructor(
    readonly random: () => number,
    shards: number,
    /** False: a log without fences that fails single entries, as Kinesis does. */
    readonly fences: boolean,
  ) {
    this.shards = evenShards(shards);
    this.nextShard = shards;
    for (const { id } of this.shards) this.records.set(id, []);
  }

  chance(share: number): boolean {
    return this.random() < share;
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)]!;
  }

  /** A call on its way: it arrives at any time, or fails. */
  turn(actor: Actor): Promise<void> {
    return new Promise((go, fail) => this.waiting.push({ actor, go, fail }));
  }

  /** Lets one call that waits go on; false when there is none. */
  async deliverOne(): Promise<boolean> {
    if (this.waiting.length === 0) return false;
    const [next] = this.waiting.splice(Math.floor(this.random() * this.waiting.length), 1);
    if (next!.actor.isAlive) {
      if (this.faults && this.chance(0.04)) next!.fail(new Error("the connection was lost"));
      else next!.go();
      await new Promise(resolve => setImmediate(resolve));
    }
    return true;
  }

  logFor(actor: Actor): OrderLog {
    return new SimulatedLog(this, actor);
  }

  place(symbol: string, factor: number, map: ShardMap): SubKey[] {
    const key = `${symbol} ${factor} ${map.version}`;
    const known = this.placements.get(key);
    if (known) return known;
    const placed = placePlanned(symbol, factor, map);
    this.placements.set(key, placed);
    return placed;
  }

  reshard(): void {
    const parent = this.pick(this.shards);
    const [a, b] = [String(this.nextShard++), String(this.nextShard++)];
    const neighbour = this.shards.find(({ startHash }) => startHash === parent.endHash + 1n);
    const merges = neighbour !== undefined && this.chance(0.5);
    const added: Shard[] = merges
      ? [{ id: a, startHash: parent.startHash, endHash: neighbour.endHash }]
      : [
          { id: a, startHash: parent.startHash, endHash: (parent.startHash + parent.endHash) / 2n },
          { id: b, startHash: (parent.startHash + parent.endHash) / 2n + 1n, endHash: parent.endHash },
        ];
    const gone = merges ? [parent, neighbour] : [parent];
    this.shards = [...this.shards.filter(shard => !gone.includes(shard)), ...added];
    const covered = this.shards.reduce((sum, shard) => sum + shard.endHash - shard.startHash + 1n, 0n);
    if (covered !== HASH_SPACE) throw new Error("the simulation's shard map has a hole");
    this.mapVersion += 1;
    for (const { id } of added) this.records.set(id, []);
    for (const { id } of gone) {
      this.closed.add(id);
      this.records.get(id)!.push(CLOSED_RECORD);
    }
  }
}

class SimulatedLog implements OrderLog {
  readonly fences: boolean;
  constructor(
    private readonly world: World,
    private readonly actor: Actor,
  ) {
    this.fences = world.fences;
  }

  async readMap(): Promise<ShardMap> {
    await this.world.turn(this.actor);
    return { version: this.world.mapVersion, open: this.world.shards };
  }

  async readableShards(): Promise<string[]> {
    await this.world.turn(this.actor);
    return [...this.world.records.keys()];
  }

  async append({ shardId, producer, firstNumber, records }: Append): Promise<AppendResult> {
    const { world } = this;
    await world.turn(this.actor);
    const result = world.fences
      ? this.appendInOrder({ shardId, producer, firstNumber, records })
      : this.appendEach({ shardId, producer, firstNumber, records });
    // From here on the answer itself may get lost.
    await world.turn(this.actor);
    return result;
  }

  private appendInOrder({ shardId, producer, firstNumber, records }: Append): AppendResult {
    const { world } = this;
    const states = world.numbers.get(shardId) ?? new Map();
    world.numbers.set(shardId, states);
    const state = states.get(producer) ?? { last: 0, isFenced: false };
    const taken = () => records.map((_, i) => firstNumber + i <= state.last);
    if (state.isFenced) return { outcome: "fenced", taken: taken(), retryAfterMs: null };
    if (world.closed.has(shardId)) return { outcome: "closed", taken: taken(), retryAfterMs: null };
    states.set(producer, state);
    const room =
      world.faults && world.chance(0.3) ? Math.floor(world.random() * records.length) : records.length;
    records.slice(0, room).forEach(({ data }, i) => {
      if (firstNumber + i <= state.last) return;
      world.records.get(shardId)!.push(data);
      state.last = firstNumber + i;
    });
    return { outcome: room < records.length ? "throttled" : "ok", taken: taken(), retryAfterMs: null };
  }

  private appendEach({ shardId, records }: Append): AppendResult {
    const { world } = this;
    const none = records.map(() => false);
    if (world.closed.has(shardId)) return { outcome: "closed", taken: none, retryAfterMs: null };
    const taken = records.map(() => !world.faults || !world.chance(0.3));
    records.forEach(({ data }, i) => {
      if (taken[i]) world.records.get(shardId)!.push(data);
    });
    return { outcome: taken.includes(false) ? "throttled" : "ok", taken, retryAfterMs: null };
  }

  async appendBeat(shardId: string, beat: Buffer, { readAtUs }: { readAtUs: number }): Promise<void> {
    const { world } = this;
    await world.turn(this.actor);
    if (world.closed.has(shardId) || readAtUs <= (world.beatReadAt.get(shardId) ?? 0)) return;
    world.beatReadAt.set(shardId, readAtUs);
    world.records.get(shardId)!.push(beat);
  }

  async fence(shardId: string, producer: number): Promise<void> {
    const { world } = this;
    await world.turn(this.actor);
    if (!world.fences) return;
    const states = world.numbers.get(shardId) ?? new Map();
    world.numbers.set(shardId, states);
    states.set(producer, { last: states.get(producer)?.last ?? 0, isFenced: true });
  }

  async read(after: ReadonlyMap<string, string>, limit: number): Promise<ShardBatch[]> {
    const batches: ShardBatch[] = [];
    for (const [shardId, position] of after) {
      await this.world.turn(this.actor);
      const from = position === "" ? 0 : Number(position);
      const records = this.world.records
        .get(shardId)!
        .slice(from, from + 1 + Math.floor(this.world.random() * limit))
        .map((data, i) => ({ position: String(from + i + 1), data, missing: 0 }));
      batches.push({ shardId, records });
    }
    return batches;
  }

  isAfter(position: string, other: string): boolean {
    return Number(position) > Number(other);
  }

  async trim(): Promise<void> {}
}

class SimulatedRegistry implements ProducerRegistry {
  constructor(
    private readonly world: World,
    private readonly actor: Actor,
  ) {}

  private highest(): number {
    return Math.max(this.world.floorUs, ...[...this.world.registry.values()].map(view => view.throughUs));
  }

  async join(mapVersion: number) {
    const { world } = this;
    await world.turn(this.actor);
    const startUs = Math.max(world.nowUs, this.highest());
    const producer = world.nextProducer++;
    const view = { producer, throughUs: startUs, seenUs: world.nowUs, mapVersion, except: {} };
    world.registry.set(producer, view);
    const { nowUs } = world;
    await world.turn(this.actor);
    return { producer, startUs, nowUs };
  }

  async publish(producer: number, watermark: Watermark) {
    const { world } = this;
    await world.turn(this.actor);
    const known = world.registry.get(producer);
    if (!known) return { joined: false as const };
    if (known.throughUs <= watermark.throughUs) {
      world.nowUs += 1;
      world.registry.set(producer, { ...watermark, producer, seenUs: world.nowUs });
    }
    world.registryMap = Math.max(world.registryMap, watermark.mapVersion);
    const { nowUs } = world;
    await world.turn(this.actor);
    return { joined: true as const, nowUs, holds: {} };
  }

  async leave(producer: number): Promise<void> {
    await this.world.turn(this.actor);
    this.world.floorUs = this.highest();
    this.world.registry.delete(producer);
  }

  async expel(producer: number, seenUs: number): Promise<boolean> {
    await this.world.turn(this.actor);
    const known = this.world.registry.get(producer);
    if (known && known.seenUs !== seenUs) return false;
    if (known) {
      this.world.floorUs = this.highest();
      this.world.registry.delete(producer);
    }
    return true;
  }

  async view(): Promise<RegistryView> {
    const { world } = this;
    await world.turn(this.actor);
    if (world.registry.size === 0) world.floorUs = Math.max(world.floorUs, world.nowUs);
    const view = {
      nowUs: world.nowUs,
      floorUs: world.floorUs,
      lastProducer: world.nextProducer - 1,
      mapVersion: world.registryMap,
      hasForeign: false,
      producers: [...world.registry.values()],
    };
    await world.turn(this.actor);
    return view;
  }

  async noteForeign(): Promise<void> {}
  async setHolds(): Promise<void> {}
}

class SimulatedOutput implements OrderedOutput {
  constructor(
    private readonly world: World,
    private readonly actor: Actor,
  ) {}

  async claim(symbol: string, epoch: number): Promise<ClaimedHead> {
    const { world } = this;
    await world.turn(this.actor);
    const known = world.heads.get(symbol);
    if (known && known.epoch > epoch) throw new LeaseLost();
    const empty = {
      position: 0,
      last: { timeUs: 0, producer: 0, sequence: 0 },
      frontier: new Map(),
      passed: 0,
    };
    const head = { ...(known ?? empty), epoch };
    world.heads.set(symbol, head);
    await world.turn(this.actor);
    return head;
  }

  async write({ symbol, epoch, before, head, frames }: OrderedFrames): Promise<number> {
    const { world } = this;
    const stored = { ...head, frontier: new Map(head.frontier), epoch, passed: 0 };
    await world.turn(this.actor);
    const known = world.heads.get(symbol)!;
    if (known.epoch > epoch) throw new LeaseLost();
    if (known.position !== before) throw new Error("not where it was left");
    const orders = world.ordered.get(symbol) ?? [];
    world.ordered.set(symbol, orders);
    for (const { bytes, lastPosition } of frames) {
      const frame = decodeFrame(bytes);
      if (frame.firstPosition !== orders.length + 1) throw new Error("a hole in the positions");
      let i = 0;
      for (const payload of frame.payloads()) {
        const { orderId, accountId } = unpackOrder(payload, symbol);
        orders.push({ stamp: frame.stampAt(i), orderId, accountId });
        i += 1;
      }
      if (lastPosition !== orders.length) throw new Error("a wrong last position");
    }
    world.heads.set(symbol, stored);
    await world.turn(this.actor);
    return 0;
  }

  async contains(symbol: string, stamp: Stamp): Promise<boolean> {
    await this.world.turn(this.actor);
    return (this.world.ordered.get(symbol) ?? []).some(
      order => JSON.stringify(order.stamp) === JSON.stringify(stamp),
    );
  }

  async readCheckpoint(partition: number): Promise<Checkpoint> {
    await this.world.turn(this.actor);
    return new Map(this.world.checkpoints.get(partition)?.checkpoint);
  }

  async writeCheckpoint(partition: number, epoch: number, checkpoint: Checkpoint): Promise<void> {
    await this.world.turn(this.actor);
    const known = this.world.checkpoints.get(partition);
    if (known && known.epoch > epoch) throw new LeaseLost();
    this.world.checkpoints.set(partition, { epoch, checkpoint: new Map(checkpoint) });
  }
}

/** Submitted orders, and what their caller was told. */
export type Submitted = { symbol: string; orderId: string; accountId: string; ticket: Ticket };

export class SimulatedProducer {
  readonly actor: Actor = { isAlive: true };
  readonly producer: OrderProducer;
  private readonly busy = new Set<string>();
  private readonly plans: Map<string, number>;

  /** @param plans the factor per symbol, as this producer sees it: it follows changes with a delay */
  constructor(
    private readonly world: World,
    readonly name: string,
    livePlans: ReadonlyMap<string, number>,
  ) {
    this.plans = new Map(livePlans);
    const skewUs = (world.random() - 0.5) * 1_000_000;
    this.producer = new OrderProducer({
      log: world.logFor(this.actor),
      registry: new SimulatedRegistry(world, this.actor),
      clock: new SharedClock(() => world.nowUs + skewUs),
      route: (symbol, _account, map) => world.pick(this.subKeysOf(symbol, map)),
      isPlaced: (symbol, partitionKey, map) =>
        this.subKeysOf(symbol, map).some(subKey => subKey.partitionKey === partitionKey),
      settings: {
        ...{ maxBuffered: 1_000, backoffMs: 1, maxBackoffMs: 1, maxRecordBytes: 1_048_576 },
        maxOrdersPerRecord: 1 + Math.floor(world.random() * 4),
      },
      random: world.random,
    });
  }

  follow(plans: ReadonlyMap<string, number>): void {
    for (const [symbol, factor] of plans) this.plans.set(symbol, factor);
  }

  /** Starts one piece of work that is not going on already. */
  work(): void {
    const lanes = this.producer.pendingLanes();
    if (this.world.chance(0.2)) this.producer.followPlans();
    if (this.producer.needsMap && this.run("registry", () => this.producer.refreshMap())) return;
    if (lanes.length > 0 && this.world.chance(0.7)) {
      const lane = this.world.pick(lanes);
      this.run(lane, () => this.producer.stepLane(lane));
    } else
      this.run("registry", () =>
        this.world.chance(0.1) ? this.producer.refreshMap() : this.producer.publish(),
      );
  }

  private subKeysOf(symbol: string, map: ShardMap): SubKey[] {
    return this.world.place(symbol, this.plans.get(symbol) ?? 1, map);
  }

  private run(what: string, work: () => Promise<unknown>): boolean {
    if (!this.actor.isAlive || this.busy.has(what)) return false;
    this.busy.add(what);
    work().then(
      () => this.busy.delete(what),
      () => this.busy.delete(what),
    );
    return true;
  }
}

/** An aggregator process: it may lose its state at any moment, and two may think they own the same. */
export class SimulatedAggregator {
  actor: Actor = { isAlive: true };
  private aggregator: Aggregator | null = null;
  private pacemaker: Pacemaker;
  private readonly busy = new Set<string>();

  constructor(
    private readonly world: World,
    readonly epoch: number,
    private readonly onDuplicates: (count: number) => void = () => {},
  ) {
    this.pacemaker = new Pacemaker({
      log: world.logFor(this.actor),
      registry: new SimulatedRegistry(world, this.actor),
      silenceUs: 200_000,
      minIntervalUs: 0,
    });
  }

  get waiting(): number {
    return this.aggregator?.waiting ?? 0;
  }

  kill(): void {
    this.actor.isAlive = false;
  }

  work(): void {
    const { world } = this;
    if (world.chance(0.4)) this.run("beat", () => this.pacemaker.beatOnce());
    else
      this.run("step", async () => {
        try {
          this.aggregator ??= await this.start();
          await this.aggregator.step();
          if (world.chance(0.2)) await this.aggregator.writeCheckpoint();
        } catch (error) {
          if (!(error instanceof Error)) throw error;
          this.aggregator = null;
          if (error instanceof LeaseLost) this.kill();
        }
      });
  }

  private start(): Promise<Aggregator> {
    const { world, actor, epoch } = this;
    return Aggregator.start({
      log: world.logFor(actor),
      output: new SimulatedOutput(world, actor),
      side: {
        add: async events => {
          await world.turn(actor);
          for (const event of events) world.side.set(event.id, event);
          return events.length;
        },
      },
      leases: new Map(Array.from({ length: PARTITIONS }, (_, partition) => [partition, epoch])),
      nowUs: () => world.nowUs,
      settings: { readLimit: 6, maxWaiting: 20, maxBehind: 1_000_000 },
      onReshard: () => this.pacemaker.forgetMap(),
      on: { duplicates: this.onDuplicates },
    });
  }

  private run(what: string, work: () => Promise<unknown>): void {
    if (!this.actor.isAlive || this.busy.has(what)) return;
    this.busy.add(what);
    work().then(
      () => this.busy.delete(what),
      () => this.busy.delete(what),
    );
  }
}
