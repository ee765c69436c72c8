import { type FlowLimits, utilizationOf } from "../../domain/orders/shard-load";
import { shareOf } from "../../domain/orders/shard-preview";
import type { PlanBook } from "../../orders/plan-book";
import type { LiveFigures } from "../symbols/live-figures";

export type ListShardsDeps = { plans: PlanBook; figures: LiveFigures; limits: FlowLimits };

/**
 * The open shards in the order of their hash ranges, with their load, and the sub-keys that land on each.
 * `version`: of the shard map, for compare-and-set.
 * @throws AppError BUSY while Redis does not answer
 */
export async function listShards({ plans, figures, limits }: ListShardsDeps) {
  const { map, shards, subKeys } = await figures.read();
  const keysOn = new Map<string, { symbol: string; partitionKey: string }[]>();
  for (const [symbol, keys] of subKeys)
    for (const { shardId, partitionKey } of keys) {
      const onShard = keysOn.get(shardId) ?? [];
      onShard.push({ symbol, partitionKey });
      keysOn.set(shardId, onShard);
    }
  const sorted = map.open.toSorted((a, b) => (a.startHash < b.startHash ? -1 : 1));
  const rows = sorted.map((shard, n) => {
    const flow = shards.get(shard.id) ?? null;
    return {
      shardId: shard.id,
      startHash: String(shard.startHash),
      endHash: String(shard.endHash),
      share: shareOf(shard),
      // The open shards cover the hash space without a gap.
      neighbours: [sorted[n - 1], sorted[n + 1]].flatMap(next => (next ? [next.id] : [])),
      flow,
      utilization: flow && (utilizationOf(flow, limits)?.utilization ?? null),
      subKeys: keysOn.get(shard.id) ?? [],
    };
  });
  return { version: map.version, rows, splits: plans.factorsInForce(), limits };
}
