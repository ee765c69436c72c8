import { partitionOf } from "../domain/orders/order-partition";
import { formatStamp, parseStamp, type Stamp } from "../domain/orders/order-stamp";
import { decodeFrame } from "../store/codec/ordered-frame";
import { checkpointKey, headKey, orderedKey } from "../store/order-keys";
import type { RedisClient } from "../store/redis";
import { type Found, findStamps } from "./find-stamps";
import type { Head } from "./symbol-buffer";

/** The partition has a later owner: the caller must stop. */
export class LeaseLost extends Error {}

export type ClaimedHead = Head & {
  /** Position up to which the engine has stored its state. */
  passed: number;
};

export type OrderedFrames = {
  symbol: string;
  epoch: number;
  /** The position that the stream must be at. */
  before: number;
  head: Head;
  frames: { lastPosition: number; bytes: Buffer }[];
};

/** Where each shard is read again from after a crash. */
export type Checkpoint = Map<string, string>;

/** What the aggregator writes: an ordered stream per symbol with its head, and checkpoints. */
export interface OrderedOutput {
  /** Refuses writers of earlier epochs from here on. @throws LeaseLost */
  claim(symbol: string, epoch: number): Promise<ClaimedHead>;
  /** Resolves to the engine's position. @throws LeaseLost */
  write(frames: OrderedFrames): Promise<number>;
  /** Whether orders with these stamps were written, in the order of the stamps. */
  find(symbol: string, stamps: readonly Stamp[]): Promise<Found[]>;
  readCheckpoint(partition: number): Promise<Checkpoint>;
  writeCheckpoint(partition: number, epoch: number, checkpoint: Checkpoint): Promise<void>;
}

export class RedisOrderedOutput implements OrderedOutput {
  /** Epochs of later owners, which have refused a write, by partition. */
  private readonly later = new Map<number, number>();

  constructor(
    private readonly redis: RedisClient,
    private readonly log: string,
  ) {}

  async claim(symbol: string, epoch: number): Promise<ClaimedHead> {
    const reply = await this.redis.outputClaim(this.headOf(symbol), epoch);
    if (reply === -1) throw await this.refused(symbol);
    const [position, last, frontier, passed] = reply as (string | null)[];
    return {
      position: Number(position ?? 0),
      last: parseStamp(last),
      frontier: new Map(Object.entries(JSON.parse(frontier ?? "{}") as Record<string, string>)),
      passed: Number(passed ?? 0),
    };
  }

  async write({ symbol, epoch, before, head, frames }: OrderedFrames): Promise<number> {
    const reply = await this.redis.outputWrite(
      orderedKey(this.log, partitionOf(symbol), symbol),
      this.headOf(symbol),
      epoch,
      before,
      formatStamp(head.last),
      JSON.stringify(Object.fromEntries(head.frontier)),
      ...frames.flatMap(({ lastPosition, bytes }) => [lastPosition, bytes]),
    );
    if (reply === -1) throw await this.refused(symbol);
    // After a lost answer, or a Redis that was restored from older data, the stored head decides.
    if (reply === -2) throw new Error(`${symbol}'s stream is not where it was left`);
    return Number(reply);
  }

  find(symbol: string, stamps: readonly Stamp[]): Promise<Found[]> {
    const key = orderedKey(this.log, partitionOf(symbol), symbol);
    const first = async (entries: Promise<[Buffer, Buffer[]][]>) => {
      const [entry] = await entries;
      return entry ? decodeFrame(entry[1][1]!) : null;
    };
    return findStamps(
      {
        oldest: () => first(this.redis.xrangeBuffer(key, "-", "+", "COUNT", 1)),
        newest: () => first(this.redis.xrevrangeBuffer(key, "+", "-", "COUNT", 1)),
        at: position => first(this.redis.xrangeBuffer(key, `${position}-0`, "+", "COUNT", 1)),
      },
      stamps,
    );
  }

  /** The highest epochs that checkpoints hold, or that have refused a write. */
  async storedEpochs(partitions: readonly number[]): Promise<Map<number, number>> {
    const epochs = await Promise.all(
      partitions.map(async (partition): Promise<[number, number]> => {
        const stored = Number((await this.redis.hget(checkpointKey(this.log, partition), "epoch")) ?? 0);
        return [partition, Math.max(stored, this.later.get(partition) ?? 0)];
      }),
    );
    return new Map(epochs);
  }

  async readCheckpoint(partition: number): Promise<Checkpoint> {
    const { epoch: _, ...positions } = await this.redis.hgetall(checkpointKey(this.log, partition));
    return new Map(Object.entries(positions));
  }

  async writeCheckpoint(partition: number, epoch: number, checkpoint: Checkpoint): Promise<void> {
    const flat = [...checkpoint].flat();
    if (flat.length === 0) return;
    const key = checkpointKey(this.log, partition);
    if ((await this.redis.checkpointWrite(key, epoch, ...flat)) === 0)
      throw new LeaseLost(`partition ${partition} has a later owner`);
  }

  private async refused(symbol: string): Promise<LeaseLost> {
    const partition = partitionOf(symbol);
    const epoch = Number((await this.redis.hget(this.headOf(symbol), "epoch")) ?? 0);
    this.later.set(partition, Math.max(epoch, this.later.get(partition) ?? 0));
    return new LeaseLost(`${symbol} is written by a later owner`);
  }

  private headOf(symbol: string): string {
    return headKey(this.log, partitionOf(symbol), symbol);
  }
}
