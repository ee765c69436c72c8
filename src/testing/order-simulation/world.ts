import type { DeadLetter } from "../../aggregate/dead-letter-stream";
import type { Checkpoint, ClaimedHead } from "../../aggregate/ordered-output";
import { evenShards, HASH_SPACE, type Shard, type ShardMap } from "../../domain/orders/hash-range";
import type { Stamp } from "../../domain/orders/order-stamp";
import { placePlanned, type SubKey } from "../../domain/orders/split-placement";
import { CLOSED_RECORD } from "../../store/codec/order-record";
import type { ProducerView } from "../../store/producer-registry";

type Waiting = { actor: Actor; go: () => void; fail: (error: Error) => void };
/** Something that can be killed: from then on nothing it waits for ever comes. */
export type Actor = { isAlive: boolean };

/** Redis' part of the world: what Lua scripts do atomically happens here between two turns. */
export class World {
  /** A clock without steps, which every process has. */
  nowUs = 1_700_000_000_000_000;
  /** How far Redis' clock is ahead of it, after steps. */
  redisAheadUs = 0;
  readAtUs = 0;
  faults = true;
  private readonly waiting: Waiting[] = [];
  readonly registry = new Map<number, ProducerView>();
  /** Producers that were left out because they were silent. */
  readonly evicted = new Set<number>();
  nextProducer = 1;
  floorUs = 0;
  registryMap = 0;
  mapVersion = 1;
  shards: Shard[];
  /** Before the last reshard. */
  previousMap: ShardMap | null = null;
  readonly closed = new Set<string>();
  readonly records = new Map<string, Buffer[]>();
  readonly numbers = new Map<string, Map<number, { last: number; isFenced: boolean }>>();
  readonly watermarkReadAt = new Map<string, number>();
  readonly heads = new Map<string, ClaimedHead & { epoch: number }>();
  readonly ordered = new Map<string, { stamp: Stamp; orderId: string; accountId: string }[]>();
  readonly deadLetters = new Map<string, DeadLetter>();
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

  /** Redis' clock. */
  get redisUs(): number {
    return this.nowUs + this.redisAheadUs;
  }

  chance(ratio: number): boolean {
    return this.random() < ratio;
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)]!;
  }

  /** A call on its way: it arrives at any time, or fails. */
  turn(actor: Actor): Promise<void> {
    return new Promise((go, fail) => this.waiting.push({ actor, go, fail }));
  }

  /** Resumes one waiting call; false when there is none. */
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

  place(symbol: string, factor: number, map: ShardMap): SubKey[] {
    const key = `${symbol} ${factor} ${map.version}`;
    const known = this.placements.get(key);
    if (known) return known;
    const placed = placePlanned(symbol, factor, map);
    this.placements.set(key, placed);
    return placed;
  }

  reshard(): void {
    this.previousMap = { version: this.mapVersion, open: this.shards };
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
