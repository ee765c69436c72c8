import type { RedisClient } from "../store/redis";
import type { Rollup } from "./rollups";
import { placeOf } from "./write-rollups";

/** Others wait for Redis for less than a millisecond. */
const NAMES_PER_CALL = 400;

/**
 * One bucket of a rollup for many names, without the others that share their hashes.
 * @param atMs when the bucket begins
 * @returns in the order of `ids`; null where nothing was counted
 * @throws when Redis does not answer
 */
export async function readBucket(
  redis: RedisClient,
  ids: readonly string[],
  { rollup, atMs }: { rollup: Rollup; atMs: number },
): Promise<(number | null)[]> {
  const sums: (number | null)[] = [];
  for (let from = 0; from < ids.length; from += NAMES_PER_CALL) {
    const places = ids.slice(from, from + NAMES_PER_CALL).map(id => placeOf(rollup, atMs, { id }));
    const keys = places.map(({ key }) => key);
    const found = (await redis.sumFields(keys.length, ...keys, places[0]!.field)) as (number | null)[];
    if (found.length !== keys.length) throw new Error("Redis gave no reply for every name");
    sums.push(...found);
  }
  return sums;
}
