import type { RedisClient } from "../store/redis";
import { readRollups } from "./read-rollups";
import { pickGrid } from "./rollups";

/**
 * The counts of a time range over all processes. The range begins at a bucket of the finest rollup that
 * still has it: up to a minute early for a range of hours.
 * @param ids names of the rollups, see `idOf`
 * @returns one sum per id; 0 where nothing was counted
 * @throws when Redis does not answer, or the time is empty or longer than anything is kept
 */
export async function readTotals<Id extends string>(
  redis: RedisClient,
  ids: readonly Id[],
  { fromMs, toMs, nowMs = Date.now() }: { fromMs: number; toMs: number; nowMs?: number },
): Promise<Record<Id, number>> {
  const wanted = ids.map(id => ({ id, as: "sum" as const }));
  const points = await readRollups(redis, wanted, pickGrid({ fromMs, toMs, nowMs }));
  const total = (id: Id) => points.get(id)!.sums.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  return Object.fromEntries(ids.map(id => [id, total(id)])) as Record<Id, number>;
}
