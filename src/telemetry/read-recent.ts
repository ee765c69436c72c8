import type { RedisClient } from "../store/redis";
import { SETTLED_AFTER_MS } from "./read-series";
import { floorTo, ROLLUPS } from "./rollups";
import { placeOf } from "./write-rollups";

/** Redis adds so many names up at once: others wait for less than a millisecond. */
const NAMES_PER_CALL = 400;

/**
 * What was counted in the last `seconds` that every process has flushed, by name, in one round trip: for
 * figures of a thousand names each second. Redis adds them up, since taking a reply per name apart would
 * hold this process up for a tenth of a second.
 * @returns sums; null where none of the seconds holds the name
 */
export async function readRecent(
  redis: RedisClient,
  ids: readonly string[],
  { seconds, nowMs = Date.now() }: { seconds: number; nowMs?: number },
): Promise<Map<string, number | null>> {
  const sums = new Map<string, number | null>(ids.map(id => [id, null]));
  const calls: Promise<void>[] = [];
  for (const { atMs, fields } of windowsOf(seconds, nowMs))
    for (let from = 0; from < ids.length; from += NAMES_PER_CALL) {
      const some = ids.slice(from, from + NAMES_PER_CALL);
      const keys = some.map(id => placeOf(ROLLUPS[0]!, atMs, { id }).key);
      const add = (reply: unknown) => {
        const found = reply as (number | null)[];
        if (found.length !== some.length) throw new Error("Redis gave no reply for every name");
        found.forEach((sum, n) => {
          if (sum !== null) sums.set(some[n]!, (sums.get(some[n]!) ?? 0) + sum);
        });
      };
      calls.push(redis.sumFields(keys.length, ...keys, ...fields).then(add));
    }
  await Promise.all(calls);
  return sums;
}

/** The seconds by the hashes that hold them: two where a hash ends among them. */
function windowsOf(seconds: number, nowMs: number): { atMs: number; fields: string[] }[] {
  const rollup = ROLLUPS[0]!;
  const endMs = floorTo(nowMs - SETTLED_AFTER_MS, rollup.stepMs);
  const windows = new Map<string, { atMs: number; fields: string[] }>();
  for (let n = 1; n <= seconds; n += 1) {
    const atMs = endMs - n * rollup.stepMs;
    const { key, field } = placeOf(rollup, atMs, { id: "" });
    const window = windows.get(key) ?? { atMs, fields: [] };
    window.fields.push(field);
    windows.set(key, window);
  }
  return [...windows.values()];
}
