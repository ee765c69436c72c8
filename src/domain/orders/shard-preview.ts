import { HASH_SPACE, type Shard } from "./hash-range";
import type { ShardChangeEffect } from "./shard-change";
import {
  type Flow,
  type FlowLimits,
  type FullestShard,
  fullestOf,
  roomWarnings,
  type ShardFlow,
  spreadFlow,
  utilizationOf,
} from "./shard-load";
import type { SubKey } from "./split-placement";

/** One traded symbol before and after the change; `flow` null: not counted. */
export type PlacedSymbol = {
  symbol: string;
  flow: Flow | null;
  now: readonly SubKey[];
  later: readonly SubKey[];
};

export type ShardPreviewInput = {
  open: readonly Shard[];
  effect: ShardChangeEffect;
  /** Of all open shards with figures. */
  shardFlows: ReadonlyMap<string, ShardFlow>;
  symbols: readonly PlacedSymbol[];
  limits: FlowLimits;
};

export type PreviewedShard = {
  shardId: string;
  state: "kept" | "closed" | "opened";
  /** Part of the hash space, 0 to 1. */
  share: number;
  /** Sub-keys of split symbols that would land here. */
  partitionKeys: string[];
  /** Utilization; null: not known, no limit, or not open at that time. */
  before: number | null;
  after: number | null;
};

export type ShardPreview = {
  shards: PreviewedShard[];
  /** The symbols that are split, and where their sub-keys land. */
  splits: { symbol: string; subKeys: SubKey[]; distinctShards: number }[];
  /** The fullest of the new shards. */
  fullest: FullestShard | null;
  warnings: ShardPreviewWarning[];
};
export type ShardPreviewWarning =
  | "does not fit"
  | "no room"
  | "load stays together"
  | "fewer shards"
  | "no data";

/** Of a split, when one half keeps at least so much of the load. */
const TOGETHER = 0.9;

export const shareOf = ({ startHash, endHash }: Shard): number =>
  Number(((endHash - startHash + 1n) * 1_000_000n) / HASH_SPACE) / 1_000_000;

/** The loads and the places of sub-keys after a change of the shards, from the present flow. Pure. */
export function previewShardChange(input: ShardPreviewInput): ShardPreview {
  const { open, effect, shardFlows, symbols, limits } = input;
  const flows = flowsAfter(input);
  const split = symbols.filter(({ now, later }) => now.length > 1 || later.length > 1);
  const splits = split.map(({ symbol, later }) => ({
    symbol,
    subKeys: [...later],
    distinctShards: distinct(later),
  }));
  const keysOn = (id: string) =>
    splits.flatMap(({ subKeys }) =>
      subKeys.filter(({ shardId }) => shardId === id).map(({ partitionKey }) => partitionKey),
    );
  const loadIn = (of: ReadonlyMap<string, Flow>, id: string) => {
    const flow = of.get(id);
    return flow ? (utilizationOf(flow, limits)?.utilization ?? null) : null;
  };
  const stateOf = (shard: Shard) =>
    effect.closed.includes(shard) ? "closed" : effect.opened.includes(shard) ? "opened" : "kept";
  const shards = [...open, ...effect.opened].map(
    (shard): PreviewedShard => ({
      shardId: shard.id,
      state: stateOf(shard),
      share: shareOf(shard),
      partitionKeys: keysOn(shard.id),
      before: loadIn(shardFlows, shard.id),
      after: effect.closed.includes(shard) ? null : loadIn(flows, shard.id),
    }),
  );
  const fullest = fullestOf(
    effect.opened.map(({ id }) => id),
    flows,
    limits,
  );
  const fewer = split.some(({ now, later }) => distinct(later) < distinct(now));
  return {
    shards,
    splits,
    fullest,
    warnings: [...loadWarnings(input, fullest), ...(fewer ? (["fewer shards"] as const) : [])],
  };
}

const distinct = (subKeys: readonly SubKey[]) => new Set(subKeys.map(({ shardId }) => shardId)).size;

/**
 * Each symbol's flow, spread evenly over its sub-keys, moves with them. The remainder of the closed shards,
 * which no symbol's own count explains, is divided like their hash range.
 */
function flowsAfter({ effect, shardFlows, symbols }: ShardPreviewInput): Map<string, Flow> {
  const flows = new Map<string, Flow>([...shardFlows].map(([id, flow]) => [id, copyOf(flow)]));
  for (const { flow, now } of symbols) if (flow) spreadFlow(flows, flow, { subKeys: now, sign: -1 });
  const rest = effect.closed.map(({ id }) => flows.get(id));
  for (const { id } of effect.closed) flows.delete(id);
  if (!rest.some(flow => flow === undefined)) {
    const sum = (of: keyof Flow) => rest.reduce((total, flow) => total + flow![of], 0) / effect.opened.length;
    const each = { recordsPerSecond: sum("recordsPerSecond"), bytesPerSecond: sum("bytesPerSecond") };
    for (const { id } of effect.opened) flows.set(id, copyOf(each));
  }
  for (const { flow, later } of symbols) if (flow) spreadFlow(flows, flow, { subKeys: later, sign: 1 });
  return flows;
}

const copyOf = ({ recordsPerSecond, bytesPerSecond }: Flow): Flow => ({ recordsPerSecond, bytesPerSecond });

function loadWarnings(
  { effect, shardFlows, limits }: ShardPreviewInput,
  fullest: FullestShard | null,
): ShardPreviewWarning[] {
  const flows = effect.closed.map(({ id }) => shardFlows.get(id));
  if (flows.some(flow => flow === undefined)) return ["no data"];
  if (!fullest) return [];
  const warnings: ShardPreviewWarning[] = roomWarnings(fullest);
  const before = Math.max(...flows.map(flow => utilizationOf(flow!, limits)?.utilization ?? 0));
  const isSplit = effect.opened.length > effect.closed.length;
  if (isSplit && before > 0 && fullest.utilization >= before * TOGETHER) warnings.push("load stays together");
  return warnings;
}
