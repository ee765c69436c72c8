import { applyShardChange, mergeRefusal, type ShardChange } from "../../domain/orders/shard-change";
import { previewShardChange } from "../../domain/orders/shard-preview";
import type { ListShardsDeps } from "./list-shards";

/**
 * The shards after a change, from the present flow. Changes nothing. `refusal`: why the change would be
 * refused, and what to do first; null when it may be made.
 * @throws AppError as applyShardChange | BUSY while Redis does not answer
 */
export async function previewShards({ plans, figures, limits }: ListShardsDeps, change: ShardChange) {
  const { map, shards, symbols, subKeys } = await figures.read();
  const effect = applyShardChange(map, change);
  const after = { version: map.version + 1, open: effect.after };
  const placed = [...subKeys].map(([symbol, now]) => ({
    symbol,
    now,
    flow: symbols.get(symbol) ?? null,
    later: plans.placeOn(symbol, after),
  }));
  const preview = previewShardChange({
    open: map.open,
    effect,
    shardFlows: shards,
    symbols: placed,
    limits,
  });
  const refusal = change.kind === "merge" ? mergeRefusal(effect.after.length, plans.factorsInForce()) : null;
  return { version: map.version, ...preview, refusal };
}
