import { PARTITIONS } from "../domain/orders/order-partition";
import { leasesKey } from "./order-keys";
import type { RedisClient } from "./redis";

/** Epochs of the partitions that one worker holds; every write names the epoch, so a stale owner is refused. */
export type Leases = ReadonlyMap<number, number>;

export type PartitionLeasesOptions = {
  log: string;
  kind: "aggregator" | "engine";
  owner: string;
  ttlMs: number;
  /**
   * The highest epochs with which results of these partitions were stored. Redis may have been emptied, or have
   * come back older: then its own epochs are below them, and the store would refuse all that this worker writes.
   */
  storedEpochs?: (partitions: readonly number[]) => Promise<Leases>;
};

type Lease = { epoch: number; isClaimed: boolean };

/** Partitions shared evenly among the workers of one kind that are alive. */
export class PartitionLeases {
  private readonly key: string;
  /** Epochs that are above all that was stored. */
  private readonly proven = new Map<number, number>();
  /** The highest epochs that this worker has had. */
  private readonly highest = new Map<number, number>();

  constructor(
    private readonly redis: RedisClient,
    private readonly options: PartitionLeasesOptions,
  ) {
    this.key = leasesKey(options.log, options.kind);
  }

  /** Renews, claims what is free, and gives back what is above the fair share. */
  async renew(): Promise<Leases> {
    let leases = await this.call(0, new Map());
    const above = await this.findHigher(leases);
    if (above.size > 0) {
      leases = await this.call(0, above);
      for (const [partition, epoch] of above)
        if ((leases.get(partition)?.epoch ?? 0) > epoch) this.note(partition, leases.get(partition)!.epoch);
    }
    // What was claimed by the second call only is looked at with the next renewal.
    const held = [...leases].filter(([partition, { epoch }]) => this.proven.get(partition) === epoch);
    return new Map(held.map(([partition, { epoch }]) => [partition, epoch]));
  }

  /** A write was refused because of a later epoch: the next renewal looks at what is stored. */
  distrust(): void {
    this.proven.clear();
  }

  /** Gives everything back, so that others need not wait for the leases to run out. */
  async release(): Promise<void> {
    await this.call(1, new Map());
  }

  /** Of new leases those whose epochs are not above what is stored, with the epochs to be above. */
  private async findHigher(leases: ReadonlyMap<number, Lease>): Promise<Map<number, number>> {
    const fresh = [...leases].filter(
      ([partition, { epoch, isClaimed }]) => isClaimed || this.proven.get(partition) !== epoch,
    );
    const above = new Map<number, number>();
    if (fresh.length === 0) return above;
    const stored = await this.options.storedEpochs?.(fresh.map(([partition]) => partition));
    for (const [partition, { epoch, isClaimed }] of fresh) {
      const known = isClaimed ? (this.highest.get(partition) ?? 0) : 0;
      const highest = Math.max(stored?.get(partition) ?? 0, known);
      if (epoch > highest) this.note(partition, epoch);
      else above.set(partition, highest);
    }
    return above;
  }

  private note(partition: number, epoch: number): void {
    this.proven.set(partition, epoch);
    this.highest.set(partition, epoch);
  }

  private async call(leaving: 0 | 1, above: Leases): Promise<Map<number, Lease>> {
    const { owner, ttlMs } = this.options;
    const floors = Array.from({ length: PARTITIONS }, (_, partition) => above.get(partition) ?? 0);
    const args = [owner, ttlMs * 1_000, PARTITIONS, leaving, ...floors];
    const flat = (await this.redis.leasePartitions(this.key, ...args)) as number[];
    const leases = new Map<number, Lease>();
    for (let i = 0; i < flat.length; i += 3)
      leases.set(Number(flat[i]), { epoch: Number(flat[i + 1]), isClaimed: Number(flat[i + 2]) === 1 });
    return leases;
  }
}
