/** Shards in one batch: other clients share the connection, and their commands wait behind a batch. */
const BATCH_SIZE = 64;

/** Probes many shards, a batch at a time. @returns the results of `probe`, by index */
export async function inBatches<T>(
  shards: readonly number[],
  probe: (shard: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  for (let from = 0; from < shards.length; from += BATCH_SIZE) {
    results.push(...(await Promise.all(shards.slice(from, from + BATCH_SIZE).map(probe))));
  }
  return results;
}
