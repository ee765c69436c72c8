import { PARTITIONS } from "../domain/orders/order-partition";
import { leasesKey } from "./order-keys";
import type { RedisClient } from "./redis";

/** Epochs of the partitions that one worker holds; every write names the epoch, so a stale owner is refused. */
export type Leases = ReadonlyMap<number, number>;

/** Partitions shared evenly among the workers of one kind that are alive. */
export class PartitionLeases {
  private readonly key: string;

  constructor(
    private readonly redis: RedisClient,
    private readonly options: { log: string; kind: "aggregator" | "engine"; owner: string; ttlMs: number },
  ) {
    this.key = leasesKey(options.log, options.kind);
  }

  /** Renews, claims what is free, and gives back what exceeds an equal share. */
  renew(): Promise<Leases> {
    return this.call(0);
  }

  /** Releases all leases, so that other workers need not wait for them to expire. */
  async release(): Promise<void> {
    await this.call(1);
  }

  private async call(leaving: 0 | 1): Promise<Leases> {
    const { owner, ttlMs } = this.options;
    const flat = (await this.redis.leasePartitions(
      this.key,
      owner,
      ttlMs * 1_000,
      PARTITIONS,
      leaving,
    )) as number[];
    const leases = new Map<number, number>();
    for (let i = 0; i < flat.length; i += 3) leases.set(Number(flat[i]), Number(flat[i + 1]));
    return leases;
  }
}
