import type { FilterEngine } from "../engine";
import type { FilterVersion } from "../layout";
import type { KernelMemory } from "./kernel-memory";

/** Shards in flight: enough to keep a server busy, few enough to be no burden for its other clients. */
const LANES = 4;

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
 * Brings the shards' bits into Redis; they stay open.
 * @returns why the server takes no ready-made shards, or null when all of them are loaded
 * @throws when Redis does not answer or refuses what it took before
 */
export async function loadShards(options: LoadOptions): Promise<string | null> {
  const { engine, version, memory, signal } = options;
  const queue = options.shards.values();
  let unsupported: string | null = null;
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      for (const shard of queue) {
        await options.throttle?.();
        signal.throwIfAborted();
        if (unsupported !== null) return;
        const outcome = await engine.load(version, shard, memory.bits(shard), memory.counts(shard).items);
        if (outcome !== "loaded") unsupported = outcome.unsupported;
        else options.onLoaded?.();
      }
    }),
  );
  return unsupported;
}
