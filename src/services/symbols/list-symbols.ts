import { type FlowLimits, FULL_UTILIZATION, utilizationOf } from "../../domain/orders/shard-load";
import { factorAt } from "../../domain/orders/split-plan";
import { mergedUtilization, recommendFactor, type SymbolFlow } from "../../domain/orders/split-preview";
import { type SymbolState, stateOf } from "../../domain/orders/symbol-heat";
import type { PlanBook } from "../../orders/plan-book";
import type { Figures } from "./live-figures";
import type { Heat } from "./read-heat";

/** The live figures of a symbol; each is null when no server has reported. */
export type SymbolFigures = {
  flow: SymbolFlow | null;
  /** Its fullest shard and the utilization of it by all symbols. */
  shard: { shardId: string; utilization: number; throttledPerSecond: number } | null;
  /** Utilization of one shard, if the symbol were not split. */
  mergedUtilization: number | null;
  state: SymbolState;
  recommended: number | null;
};

/** Every symbol: its split, the shard of each sub-key, and its flow. */
export function listSymbols(plans: PlanBook, { figures, heat, limits }: Live) {
  return [...plans.tradedSymbols.values()]
    .sort((a, b) => (a.symbol < b.symbol ? -1 : 1))
    .map(({ symbol, priceDecimals, quantityDecimals, listingVersion, halt }) => {
      const plan = plans.planOf(symbol);
      const subKeys = plans.subKeysOf(symbol, figures.map);
      const factor = factorAt(plan, Date.now());
      const live = figuresOf(symbol, factor, { figures, limits });
      return {
        symbol,
        priceDecimals,
        quantityDecimals,
        listingVersion,
        halt: halt && { reason: halt.reason, since: halt.since.toISOString(), by: halt.by },
        subKeys,
        factor,
        epoch: plan?.epoch ?? 0,
        strategy: plan?.strategy ?? "account",
        placement: plan?.placement ?? "planned",
        reason: plan?.reason ?? null,
        setBy: plan?.setBy ?? null,
        setAt: plan?.setAt.toISOString() ?? null,
        expiresAt: plan?.expiresAt?.toISOString() ?? null,
        distinctShards: new Set(subKeys.map(({ shardId }) => shardId)).size,
        ...live,
        state: halt ? ("halted" as const) : live.state,
        heat: heat.rates.get(symbol) ?? [],
      };
    });
}

export type Live = { figures: Figures; heat: Heat; limits: FlowLimits };

/** The present figures of a symbol that is split by `factor`. */
export function figuresOf(
  symbol: string,
  factor: number,
  { figures, limits }: Pick<Live, "figures" | "limits">,
): SymbolFigures {
  const subKeysNow = figures.subKeys.get(symbol) ?? [];
  const flow = figures.symbols.get(symbol) ?? null;
  const input = { symbol, flow, subKeysNow, limits, shardFlows: figures.shards, map: figures.map };
  const utilization = mergedUtilization(input);
  return {
    flow,
    shard: flow && fullestShard(subKeysNow, figures, limits),
    mergedUtilization: utilization,
    state: stateOf(utilization, factor),
    recommended: utilization === null ? null : isMinor(utilization, factor) ? 1 : recommendFactor(input),
  };
}

/** Not split, and far from full: another symbol fills its shard, so trying every factor is not needed. */
const isMinor = (utilization: number, factor: number) => factor === 1 && utilization <= FULL_UTILIZATION / 2;

function fullestShard(
  subKeys: readonly { shardId: string }[],
  { shards }: Figures,
  limits: FlowLimits,
): SymbolFigures["shard"] {
  let fullest: SymbolFigures["shard"] = null;
  for (const { shardId } of subKeys) {
    const flow = shards.get(shardId);
    const utilization = flow && utilizationOf(flow, limits)?.utilization;
    if (flow && utilization != null && utilization >= (fullest?.utilization ?? 0))
      fullest = { shardId, utilization, throttledPerSecond: flow.throttledPerSecond };
  }
  return fullest;
}
