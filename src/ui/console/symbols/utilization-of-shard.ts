import { utilizationOf } from "../../../domain/orders/shard-load";
import type { SymbolPage } from "../contract";

/** Null when nobody counted, or the shard has no limit. */
export function utilizationOfShard({ shards, limits }: SymbolPage, shardId: string): number | null {
  const flow = shards.find(shard => shard.shardId === shardId)?.flow;
  return flow ? (utilizationOf(flow, limits)?.utilization ?? null) : null;
}
