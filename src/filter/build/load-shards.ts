import type { FilterEngine } from "../engine";
import type { FilterVersion } from "../layout";
import type { KernelMemory } from "./kernel-memory";

/** Shards in flight: enough to keep a server busy without slowing down its other clients. */
const CONCURRENT_LOADS = 8;

export type LoadOptions = {
  engine: FilterEngine;
  version: FilterVersion;
  memory: KernelMemory;
  shards: number[];
  signal: AbortSignal;
  throttle?: () => Promise<void>;
  onLoaded?: () => void;
};

/**
 * Loads the shards' bits into Redis; the shards stay open.
 * @returns why the server does not accept prebuilt shards, or null when all shards are loaded
 * @throws when Redis does not answer, or refuses a later command
 */
export async function loadShards(options: LoadOptions): Promise<string | null> {
  const { engine, version, memory, signal } = options;
  const queue = options.shards.values();
  let unsupported: string | null = null;
  let failed = false;
  const load = async () => {
    for (const shard of queue) {
      await options.throttle?.();
      signal.throwIfAborted();
      if (failed || unsupported !== null) return;
      const outcome = await engine.load(version, shard, memory.bits(shard), memory.counts(shard).items);
      if (outcome !== "loaded") unsupported = outcome.unsupported;
      else options.onLoaded?.();
    }
  };
  const loaders = Array.from({ length: CONCURRENT_LOADS }, () =>
    load().catch((error: unknown) => {
      failed = true;
      throw error;
    }),
  );
  // Wait for all loaders, also after a failure: no shard may be loaded after the caller removes the keys.
  const ends = await Promise.allSettled(loaders);
  const rejected = ends.find(end => end.status === "rejected");
  if (rejected) throw rejected.reason;
  return unsupported;
}
