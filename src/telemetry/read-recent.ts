import type { RedisClient } from "../store/redis";
import { SETTLED_AFTER_MS } from "./read-series";
import { floorTo, ROLLUPS } from "./rollups";
import { placeOf } from "./write-rollups";

/**
 * What was counted in the last `seconds` that every process has flushed, by name, in one round trip that
 * reads just those seconds: for figures of a thousand names each second.
 * @returns sums; null where none of the seconds holds the name
 */
export async function readRecent(
  redis: RedisClient,
  ids: readonly string[],
  { seconds, nowMs = Date.now() }: { seconds: number; nowMs?: number },
): Promise<Map<string, number | null>> {
  const rollup = ROLLUPS[0]!;
  const endMs = floorTo(nowMs - SETTLED_AFTER_MS, rollup.stepMs);
  const owners: string[] = [];
  const pipeline = redis.pipeline();
  for (const id of ids) {
    const fields = new Map<string, string[]>();
    for (let n = 1; n <= seconds; n += 1) {
      const { key, field } = placeOf(rollup, endMs - n * rollup.stepMs, { id });
      fields.set(key, [...(fields.get(key) ?? []), field]);
    }
    for (const [key, list] of fields) {
      owners.push(id);
      pipeline.hmget(key, ...list);
    }
  }
  const replies = (await pipeline.exec()) ?? [];
  const sums = new Map<string, number | null>(ids.map(id => [id, null]));
  owners.forEach((id, n) => {
    const [error, values] = replies[n] ?? [new Error("Redis gave no reply")];
    if (error) throw error;
    for (const value of values as (string | null)[])
      if (value !== null) sums.set(id, (sums.get(id) ?? 0) + Number(value));
  });
  return sums;
}
