import { AppError } from "../../domain/app-error";
import type { FlowLimits } from "../../domain/orders/shard-load";
import type { PlacementMode } from "../../domain/orders/split-plan";
import { previewSplit as previewOf } from "../../domain/orders/split-preview";
import type { PlanBook } from "../../orders/plan-book";
import type { LiveFigures } from "./live-figures";

/** The effect of a split on the shards, from the present flow. Changes nothing. */
export async function previewSplit(
  { plans, figures: live, limits }: { plans: PlanBook; figures: LiveFigures; limits: FlowLimits },
  { symbol, ...request }: { symbol: string; factor: number; placement: PlacementMode },
) {
  if (!plans.tradedSymbols.has(symbol)) throw new AppError("NOT_FOUND", `There is no symbol “${symbol}”.`);
  const figures = await live.read();
  const { map, shards, symbols } = figures;
  const flow = symbols.get(symbol) ?? null;
  const subKeysNow = plans.subKeysOf(symbol, map);
  return {
    ...previewOf({ symbol, flow, shardFlows: shards, subKeysNow, map, limits }, request),
    flow,
    epoch: plans.planOf(symbol)?.epoch ?? 0,
    limits,
  };
}
