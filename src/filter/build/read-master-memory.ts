import { masters, nodeOf, type RedisClient } from "../../store/redis";
import { filterKey } from "../../store/redis-keys";
import { SHARD_COUNT } from "../layout";
import type { MasterMemory } from "./estimate-build";

/** Memory of every Redis master, and its number of shards. Rejects while one does not answer. */
export async function readMasterMemory(redis: RedisClient): Promise<MasterMemory[]> {
  const shardsOf = new Map<string, number>();
  for (let shard = 0; shard < SHARD_COUNT; shard += 1) {
    // The keys of a shard have the same hash tag in all versions, so v1 stands for any version.
    const node = nodeOf(redis, filterKey(shard, 1));
    shardsOf.set(node, (shardsOf.get(node) ?? 0) + 1);
  }
  const nodes = masters(redis);
  return Promise.all(
    nodes.map(async client => {
      const info = await client.info("memory");
      const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1];
      const maxBytes = Number(field("maxmemory") ?? 0);
      const machineBytes = Number(field("total_system_memory") ?? 0);
      const { host, port } = client.options;
      // A single server has all shards, under the name "redis".
      const node = shardsOf.has("redis") ? "redis" : `${host}:${port}`;
      return {
        node,
        shards: shardsOf.get(node) ?? 0,
        usedBytes: Number(field("used_memory") ?? 0),
        limitBytes: maxBytes || machineBytes || null,
        limitedBy: maxBytes ? "maxmemory" : machineBytes ? "machine" : null,
        evicts: maxBytes > 0 && (field("maxmemory_policy") ?? "").startsWith("allkeys"),
      };
    }),
  );
}
