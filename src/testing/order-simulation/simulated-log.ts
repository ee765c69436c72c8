import { type ShardMap, shardOfKey } from "../../domain/orders/hash-range";
import type { Append, AppendResult, OrderLog, ShardBatch } from "../../domain/orders/order-log";
import type { Actor, World } from "./world";

/** The log of a simulated world, as one process reaches it. */
export class SimulatedLog implements OrderLog {
  readonly fences: boolean;
  constructor(
    private readonly world: World,
    private readonly actor: Actor,
  ) {
    this.fences = world.fences;
  }

  async readMap(): Promise<ShardMap> {
    const { world } = this;
    await world.turn(this.actor);
    // Kinesis may list its shards as they were a moment ago.
    if (!world.fences && world.faults && world.previousMap && world.chance(0.2)) return world.previousMap;
    return { version: world.mapVersion, open: world.shards };
  }

  async readableShards(): Promise<string[]> {
    await this.world.turn(this.actor);
    return [...this.world.records.keys()];
  }

  async append({ shardId, producer, firstNumber, records }: Append): Promise<AppendResult> {
    const { world } = this;
    const arrive = () =>
      world.fences
        ? this.appendInOrder({ shardId, producer, firstNumber, records })
        : this.appendEach({ shardId, producer, firstNumber, records });
    await world.turn(this.actor).catch((error: unknown) => {
      // Given up by its caller, it may be on its way still, and arrive behind what comes after it.
      if (world.chance(0.5)) void world.turn({ isAlive: true }).then(arrive, () => {});
      throw error;
    });
    const result = arrive();
    // From here on the answer may be lost.
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

  /** The log routes each record to the current shard of its key, not to the shard that its sender assumed. */
  private appendEach({ shardId, records }: Append): AppendResult {
    const { world } = this;
    let hasMoved = false;
    const taken = records.map(({ partitionKey, data }) => {
      if (world.faults && world.chance(0.3)) return false;
      const home = shardOfKey(world.shards, partitionKey).id;
      world.records.get(home)!.push(data);
      hasMoved ||= home !== shardId;
      return home === shardId;
    });
    const outcome = hasMoved ? "closed" : taken.includes(false) ? "throttled" : "ok";
    return { outcome, taken, retryAfterMs: null };
  }

  async appendWatermark(
    shardId: string,
    watermark: Buffer,
    { readAtUs }: { readAtUs: number },
  ): Promise<void> {
    const { world } = this;
    await world.turn(this.actor);
    if (world.closed.has(shardId) || readAtUs <= (world.watermarkReadAt.get(shardId) ?? 0)) return;
    world.watermarkReadAt.set(shardId, readAtUs);
    world.records.get(shardId)!.push(watermark);
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

  async forgetProducers(): Promise<void> {}
  async trim(): Promise<void> {}
}
