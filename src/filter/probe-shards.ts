import type { FilterEngine, ShardState } from "./engine";
import { inTurns } from "./in-turns";
import { ALL_SHARDS, type FilterVersion } from "./layout";

/** Which shards of a version prove nothing, and which of those that do take no more names. */
export async function probeShards(
  engine: FilterEngine,
  version: FilterVersion,
): Promise<{ broken: number[]; full: number[] }> {
  const states = await inTurns(ALL_SHARDS, shard => engine.probe(version, shard));
  const inState = (...wanted: ShardState[]) => ALL_SHARDS.filter(shard => wanted.includes(states[shard]!));
  return { broken: inState("open", "missing", "mismatched"), full: inState("full") };
}
