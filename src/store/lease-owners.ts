import { PARTITIONS } from "../domain/orders/order-partition";
import { leasesKey } from "./order-keys";
import type { RedisClient } from "./redis";

export type LeaseOwners = {
  /** Whether any worker of this kind has ever had a lease in this Redis. */
  wasUsed: boolean;
  workers: number;
  /** Partitions that no worker works on. */
  unowned: number[];
};

/** Who works on the partitions of a log. Changes nothing. @throws when Redis does not answer */
export async function readLeaseOwners(
  redis: RedisClient,
  { log, kind }: { log: string; kind: "aggregator" | "engine" },
): Promise<LeaseOwners> {
  const reply = await redis.leaseOwners(leasesKey(log, kind), PARTITIONS);
  const [used, workers = 0, ...unowned] = (reply as number[]).map(Number);
  return { wasUsed: used === 1, workers, unowned };
}
