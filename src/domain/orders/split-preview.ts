import type { ShardMap } from "./hash-range";
import {
  type Flow,
  type FlowLimits,
  FULL_UTILIZATION,
  type FullestShard,
  flowsWithout,
  fullestOf,
  placementLoads,
  roomWarnings,
  type ShardFlow,
  utilizationOf,
} from "./shard-load";
import { pickSuffixes, placePlain, type SubKey, Suffixes } from "./split-placement";
import type { PlacementMode } from "./split-plan";

/** What a symbol puts into the log now, and what its clients offer: more than that while shards refuse. */
export type SymbolFlow = Flow & {
  /** Orders that became durable. */
  ordersPerSecond: number;
  /** Orders that came in, refused ones included. */
  offeredPerSecond: number;
};

export type PreviewInput = {
  symbol: string;
  /** Null: not counted. */
  flow: SymbolFlow | null;
  /** Of all open shards with figures; the symbol's own part included. */
  shardFlows: ReadonlyMap<string, ShardFlow>;
  subKeysNow: readonly SubKey[];
  map: ShardMap;
  limits: FlowLimits;
};

export type PreviewShard = {
  shardId: string;
  /** Sub-keys that would land here. */
  partitionKeys: string[];
  /** Utilization of the shard; null: not known, or there is no limit. */
  before: number | null;
  after: number | null;
};

export type SplitPreview = {
  subKeys: SubKey[];
  distinctShards: number;
  shards: PreviewShard[];
  /** The symbol's fullest shard after the split. */
  fullest: FullestShard | null;
  /** The smallest factor that leaves room on every shard of the symbol; else the factor that helps most. */
  recommended: number | null;
  warnings: PreviewWarning[];
};
export type PreviewWarning = "more than shards" | "shared shards" | "does not fit" | "no room" | "no data";

/** The effect of a split by `factor`, from the present flow. Pure. */
export function previewSplit(
  input: PreviewInput,
  { factor, placement }: { factor: number; placement: PlacementMode },
): SplitPreview {
  const { flow, map, limits, shardFlows } = input;
  const { subKeys, after } = spread(input, { factor, placement });
  const shards = map.open.map(({ id }): PreviewShard => {
    const isKnown = flow !== null && shardFlows.has(id);
    const before = isKnown ? utilizationOf(shardFlows.get(id)!, limits) : null;
    const then = isKnown ? utilizationOf(after.get(id)!, limits) : null;
    const partitionKeys = subKeys.filter(({ shardId }) => shardId === id).map(key => key.partitionKey);
    return {
      shardId: id,
      partitionKeys,
      before: before?.utilization ?? null,
      after: then?.utilization ?? null,
    };
  });
  const distinctShards = new Set(shardsOf(subKeys)).size;
  const fullest = flow ? fullestOf(shardsOf(subKeys), after, limits) : null;
  return {
    subKeys,
    distinctShards,
    shards,
    fullest,
    recommended: recommendFactor(input),
    warnings: [
      ...(factor > map.open.length ? ["more than shards" as const] : []),
      ...(distinctShards < Math.min(factor, map.open.length) ? ["shared shards" as const] : []),
      ...(flow ? [] : ["no data" as const]),
      ...roomWarnings(fullest),
    ],
  };
}

/** Null when the symbol was not counted, or shards have no limits. */
export function recommendFactor(input: PreviewInput): number | null {
  const { flow, map, limits } = input;
  if (!flow) return null;
  const suffixes = new Suffixes(input.symbol, map);
  let best: { factor: number; utilization: number } | null = null;
  for (let factor = 1; factor <= map.open.length; factor += 1) {
    const { subKeys, after } = spread(input, { factor, placement: "planned", suffixes });
    const fullest = fullestOf(shardsOf(subKeys), after, limits);
    if (!fullest) return null;
    if (fullest.utilization <= FULL_UTILIZATION) return factor;
    // A gain of less than 5 % is not worth another shard.
    if (!best || fullest.utilization < best.utilization * 0.95)
      best = { factor, utilization: fullest.utilization };
  }
  return best?.factor ?? null;
}

/** The highest load of one shard if the symbol were not split; null as above. */
export function mergedUtilization({ flow, subKeysNow, limits }: PreviewInput): number | null {
  return flow && (utilizationOf(perSubKey(flow, subKeysNow.length, 1), limits)?.utilization ?? null);
}

const shardsOf = (subKeys: readonly SubKey[]) => subKeys.map(({ shardId }) => shardId);

const NOTHING: Flow = { recordsPerSecond: 0, bytesPerSecond: 0 };

type Spread = { factor: number; placement: PlacementMode; suffixes?: Suffixes };

function spread(input: PreviewInput, { factor, placement, suffixes }: Spread) {
  const { symbol, flow, shardFlows, subKeysNow, map, limits } = input;
  const after = flowsWithout(shardFlows, flow ?? NOTHING, subKeysNow);
  const subKeys =
    placement === "plain"
      ? placePlain(symbol, factor, map)
      : pickSuffixes(suffixes ?? new Suffixes(symbol, map), factor, placementLoads(after, limits, map));
  const part = flow ? perSubKey(flow, subKeysNow.length, subKeys.length) : NOTHING;
  for (const { shardId } of subKeys) {
    const shard = after.get(shardId) ?? { ...NOTHING };
    shard.recordsPerSecond += part.recordsPerSecond;
    shard.bytesPerSecond += part.bytesPerSecond;
    after.set(shardId, shard);
  }
  return { subKeys, after };
}

/** For a symbol without a durable order in these seconds. */
const TYPICAL_ORDER_BYTES = 60;

/**
 * Bytes are divided evenly and grow to what clients offer. Records are an upper bound: after a split a
 * sub-key sends no more records than one does now, since a producer packs orders; after a merge no more than
 * the parts together; and never more records than orders.
 */
function perSubKey(flow: SymbolFlow, now: number, factor: number): Flow {
  // With few producers a merge makes fewer records than this bound, so a symbol stays split for longer.
  // That costs little; a figure that is too low would split and merge in turns.
  const offered = Math.max(flow.offeredPerSecond, flow.ordersPerSecond);
  const bytesPerOrder =
    flow.ordersPerSecond > 0 ? flow.bytesPerSecond / flow.ordersPerSecond : TYPICAL_ORDER_BYTES;
  return {
    bytesPerSecond: (offered * bytesPerOrder) / factor,
    recordsPerSecond: Math.min(flow.recordsPerSecond / Math.max(1, Math.min(now, factor)), offered / factor),
  };
}
