import type { FilterEngine, ShardState } from "./engine";
import { inBatches } from "./in-batches";
import { ALL_SHARDS, type FilterVersion } from "./layout";

/** The broken shards of a version, which prove nothing, and the full ones, which accept no more names. */
export async function probeShards(
  engine: FilterEngine,
  version: FilterVersion,
): Promise<{ broken: number[]; full: number[] }> {
  const states = await inBatches(ALL_SHARDS, shard => engine.probe(version, shard));
  const inState = (...wanted: ShardState[]) => ALL_SHARDS.filter(shard => wanted.includes(states[shard]!));
  return { broken: inState("open", "missing", "mismatched"), full: inState("full") };
}
