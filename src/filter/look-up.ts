import { groupByShard } from "./deliver";
import type { FilterEngine } from "./engine";
import type { FilterVersion } from "./layout";

/** The keys, grouped by the result of their lookup. */
export async function lookUp(
  engine: FilterEngine,
  version: FilterVersion,
  keys: string[],
): Promise<{ maybe: string[]; absent: string[]; unsealed: string[] }> {
  const results = { maybe: [] as string[], absent: [] as string[], unsealed: [] as string[] };
  await Promise.all(
    [...groupByShard(keys)].map(async ([shard, indexes]) => {
      const shardKeys = indexes.map(index => keys[index]!);
      const lookups = await engine.lookupMany(version, shard, shardKeys);
      for (const [i, key] of shardKeys.entries()) results[lookups[i] ?? "unsealed"].push(key);
    }),
  );
  return results;
}
