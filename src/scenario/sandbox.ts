import { PARTITIONS, partitionOf } from "../domain/orders/order-partition";
import { runLoop } from "../runtime/run-loop";
import * as keys from "../store/order-keys";
import type { RedisClient } from "../store/redis";
import { ownerMarkKey } from "../store/redis-keys";

/** A log of a scenario's own. Its keys are known beforehand, so that no search is needed to remove them. */
export type Sandbox = { log: string; shards: number; symbol: string };

/** Each key expires so long after the last time that its run extended it. */
export const SANDBOX_TTL_MS = 30_000;
const KEEP_EVERY_MS = 500;

/** All keys that a run of this log can make. */
export function sandboxKeys({ log, shards, symbol }: Sandbox): string[] {
  const shardIds = Array.from({ length: shards }, (_, id) => String(id));
  const partition = partitionOf(symbol);
  const all = [
    ...shardIds.flatMap(id => [
      keys.shardStreamKey(log, id),
      keys.shardMetaKey(log, id),
      keys.shardProducersKey(log, id),
    ]),
    keys.shardMapKey(log),
    keys.registryKey(log),
    keys.pausedKey(log),
    keys.deadLettersKey(log),
    `${keys.deadLettersKey(log)}:seen`,
    ...Array.from({ length: PARTITIONS }, (_, number) => keys.checkpointKey(log, number)),
    keys.orderedKey(log, partition, symbol),
    keys.headKey(log, partition, symbol),
  ];
  return all.concat([...new Set(all.map(ownerMarkKey))]);
}

/** One UNLINK per key: they are of several slots. */
export async function removeSandbox(redis: RedisClient, sandbox: Sandbox): Promise<void> {
  await Promise.all(sandboxKeys(sandbox).map(key => redis.unlink(key)));
}

/** Extends the time to live of the existing keys repeatedly, until they are removed. */
export function keepSandbox(redis: RedisClient, sandbox: Sandbox, onError: (error: unknown) => void) {
  const all = sandboxKeys(sandbox);
  const keeping = runLoop({
    name: "sandbox",
    everyMs: KEEP_EVERY_MS,
    maxBackoffMs: 2_000,
    step: async () => {
      await Promise.all(all.map(key => redis.pexpire(key, SANDBOX_TTL_MS)));
      return "idle";
    },
    onError,
  });
  return {
    /** Never rejects: keys that cannot be removed now expire. */
    async remove(): Promise<void> {
      await keeping.stop();
      await removeSandbox(redis, sandbox).catch(onError);
    },
  };
}
