import type { ShardMap } from "../domain/hash-range";
import { factorAt } from "../domain/split-plan";
import type { PlanBook } from "../orders/plan-book";

/** A symbol, how it is split, and on which shard each of its sub-keys lands. */
export function listSymbols(plans: PlanBook, map: ShardMap) {
  return [...plans.tradedSymbols.values()]
    .sort((a, b) => (a.symbol < b.symbol ? -1 : 1))
    .map(({ symbol, priceDecimals, quantityDecimals }) => {
      const plan = plans.planOf(symbol);
      const subKeys = plans.subKeysOf(symbol, map);
      return {
        ...{ symbol, priceDecimals, quantityDecimals, subKeys },
        epoch: plan?.epoch ?? 0,
        factor: factorAt(plan, Date.now()),
        strategy: plan?.strategy ?? "random",
        placement: plan?.placement ?? "planned",
        reason: plan?.reason ?? null,
        setBy: plan?.setBy ?? null,
        setAt: plan?.setAt.toISOString() ?? null,
        expiresAt: plan?.expiresAt?.toISOString() ?? null,
        distinctShards: new Set(subKeys.map(({ shardId }) => shardId)).size,
      };
    });
}
