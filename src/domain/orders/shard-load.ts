import type { ShardMap } from "./hash-range";
import type { SubKey } from "./split-placement";

/** Throughput of a shard, or of a symbol. */
export type Flow = { recordsPerSecond: number; bytesPerSecond: number };
/** The limits of one shard; 0 is no limit. */
export type FlowLimits = Flow;
/** The throughput of a shard and what it refuses; refused records wait in the producers. */
export type ShardFlow = Flow & { throttledPerSecond?: number };
export type Bound = "records" | "bytes";

/** Above this utilization a shard has no room for a burst. */
export const FULL_UTILIZATION = 0.7;

/** Utilization of the limit that is met first, 0 to 1 and above; null when there is no limit. */
export function utilizationOf(flow: Flow, limits: FlowLimits): { utilization: number; bound: Bound } | null {
  const records = limits.recordsPerSecond > 0 ? flow.recordsPerSecond / limits.recordsPerSecond : null;
  const bytes = limits.bytesPerSecond > 0 ? flow.bytesPerSecond / limits.bytesPerSecond : null;
  if (records === null && bytes === null) return null;
  return (bytes ?? -1) > (records ?? -1)
    ? { utilization: bytes!, bound: "bytes" }
    : { utilization: records!, bound: "records" };
}

/** The load of each shard without one symbol, whose flow is spread evenly over its sub-keys. */
export function flowsWithout(
  flows: ReadonlyMap<string, ShardFlow>,
  own: Flow,
  subKeys: readonly SubKey[],
): Map<string, ShardFlow> {
  const rest = new Map([...flows].map(([shardId, flow]) => [shardId, { ...flow }]));
  spreadFlow(rest, own, { subKeys, sign: -1 });
  return rest;
}

/** Adds a symbol's flow to the shards of its sub-keys, or takes it away. A shard without figures stays unknown. */
export function spreadFlow(
  flows: ReadonlyMap<string, Flow>,
  own: Flow,
  { subKeys, sign }: { subKeys: readonly SubKey[]; sign: 1 | -1 },
): void {
  for (const { shardId } of subKeys) {
    const shard = flows.get(shardId);
    if (!shard) continue;
    const part = (of: keyof Flow) => Math.max(0, shard[of] + (sign * own[of]) / subKeys.length);
    shard.recordsPerSecond = part("recordsPerSecond");
    shard.bytesPerSecond = part("bytesPerSecond");
  }
}

/** The shard with the highest utilization, and the limit that it meets first. */
export type FullestShard = { shardId: string; utilization: number; bound: Bound };

/** Null: none of the shards has figures, or there is no limit. */
export function fullestOf(
  shardIds: readonly string[],
  flows: ReadonlyMap<string, Flow>,
  limits: FlowLimits,
): FullestShard | null {
  let fullest: FullestShard | null = null;
  for (const shardId of shardIds) {
    const flow = flows.get(shardId);
    const load = flow ? utilizationOf(flow, limits) : null;
    if (load && (!fullest || load.utilization > fullest.utilization)) fullest = { shardId, ...load };
  }
  return fullest;
}

/** What a preview says about the room on the fullest shard. */
export function roomWarnings(fullest: FullestShard | null): ("does not fit" | "no room")[] {
  if (!fullest || fullest.utilization <= FULL_UTILIZATION) return [];
  return fullest.utilization > 1 ? ["does not fit"] : ["no room"];
}

/**
 * The loads that decide the placement of sub-keys, in steps of a tenth, so that the preview mostly agrees
 * with the choice a moment later. A shard that refuses records counts as full, since its backlog has to drain
 * first; so does a shard without figures.
 */
export function placementLoads(
  flows: ReadonlyMap<string, ShardFlow>,
  limits: FlowLimits,
  { open }: ShardMap,
): Map<string, number> {
  return new Map(
    open.map(({ id }) => {
      const flow = flows.get(id);
      if (!flow) return [id, 1];
      const load = Math.round((utilizationOf(flow, limits)?.utilization ?? 0) * 10) / 10;
      return [id, (flow.throttledPerSecond ?? 0) > 0 ? Math.max(1, load) : load];
    }),
  );
}
