import { shareOf } from "../../../domain/orders/shard-load";
import type { SymbolPage } from "../contract";

/** Null when nobody counted, or the shard has no limit. */
export function shareOfShard({ shards, limits }: SymbolPage, shardId: string): number | null {
  const flow = shards.find(shard => shard.shardId === shardId)?.flow;
  return flow ? (shareOf(flow, limits)?.share ?? null) : null;
}
