import type { RedisClient } from "../store/redis";
import { flushedKey, rollupKey } from "../store/redis-keys";
import type { Amount } from "./collect";
import type { PendingBucket } from "./pending";
import { BUCKETS_PER_KEY, HISTOGRAM_BUCKETS_PER_KEY, type Rollup } from "./rollups";

/** Past the retention a hash still holds buckets that are inside it: those of its window. */
const TTL_SLACK_SECONDS = 120;

/** Where a bucket's amount is kept: a hash, and a field in it. */
export function placeOf(rollup: Rollup, startMs: number, { id, bucket }: Pick<Amount, "id" | "bucket">) {
  const perKey = bucket === undefined ? BUCKETS_PER_KEY : HISTOGRAM_BUCKETS_PER_KEY;
  const index = Math.round(startMs / rollup.stepMs);
  const offset = index % perKey;
  return {
    key: rollupKey(rollup.name, id, Math.floor(index / perKey)),
    field: bucket === undefined ? `${offset}` : `${offset}:${bucket}`,
  };
}

export type Batch = { process: string; number: number; buckets: readonly PendingBucket[] };

/** Adds a batch in one round trip, atomically; a repeated batch is added once. */
export async function writeRollups(redis: RedisClient, batch: Batch): Promise<void> {
  const keys = [flushedKey(batch.process)];
  const ttls: number[] = [];
  const indexOf = new Map<string, number>();
  const groups: (string | number)[] = [];
  for (const { rollup, startMs, amounts } of batch.buckets) {
    for (const amount of amounts.values()) {
      const { key, field } = placeOf(rollup, startMs, amount);
      let index = indexOf.get(key);
      if (index === undefined) {
        index = keys.push(key);
        indexOf.set(key, index);
        ttls.push(rollup.keptMs / 1_000 + TTL_SLACK_SECONDS);
      }
      groups.push(index, amount.how, field, amount.value);
    }
  }
  await redis.addRollups(keys.length, ...keys, batch.number, ...ttls, ...groups);
}
