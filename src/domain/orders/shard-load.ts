import type { ShardMap } from "./hash-range";
import type { SubKey } from "./split-placement";

/** What flows through a shard, or what a symbol puts into the log. */
export type Flow = { recordsPerSecond: number; bytesPerSecond: number };
/** What one shard takes; 0 is no limit. */
export type FlowLimits = Flow;
/** A flow of which the shard refuses some: what is refused waits in the producers. */
export type ShardFlow = Flow & { throttledPerSecond?: number };
export type Bound = "records" | "bytes";

/** A shard that is fuller than this has no room for a burst. */
export const FULL_UTILIZATION = 0.7;

/** Ratio of the limit that is met first, 0 to 1 and above; null when there is none. */
export function utilizationOf(flow: Flow, limits: FlowLimits): { utilization: number; bound: Bound } | null {
  const records = limits.recordsPerSecond > 0 ? flow.recordsPerSecond / limits.recordsPerSecond : null;
  const bytes = limits.bytesPerSecond > 0 ? flow.bytesPerSecond / limits.bytesPerSecond : null;
  if (records === null && bytes === null) return null;
  return (bytes ?? -1) > (records ?? -1)
    ? { utilization: bytes!, bound: "bytes" }
    : { utilization: records!, bound: "records" };
}

/** What each shard would carry without one symbol, whose flow is spread evenly over its sub-keys. */
export function flowsWithout(
  flows: ReadonlyMap<string, ShardFlow>,
  own: Flow,
  subKeys: readonly SubKey[],
): Map<string, ShardFlow> {
  const rest = new Map([...flows].map(([shardId, flow]) => [shardId, { ...flow }]));
  for (const { shardId } of subKeys) {
    const flow = rest.get(shardId);
    if (!flow) continue;
    flow.recordsPerSecond = Math.max(0, flow.recordsPerSecond - own.recordsPerSecond / subKeys.length);
    flow.bytesPerSecond = Math.max(0, flow.bytesPerSecond - own.bytesPerSecond / subKeys.length);
  }
  return rest;
}

/**
 * Loads to place sub-keys by, in steps of a tenth: the preview then mostly agrees with what is chosen a
 * moment later. A shard that refuses records counts as full: what waits for it has to drain first. So does
 * one of which nobody knows.
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
