import { z } from "zod";
import { SHARD_COUNT } from "../../filter/layout";
import { shardName } from "../../store/redis-keys";

const fillSchema = z.object({
  at: z.string(),
  items: z.number(),
  fullestShard: z.number(),
  fullestItems: z.number(),
  users: z.number(),
});
const progressSchema = z.object({ fill: fillSchema, fillSince: fillSchema });

export type Forecast = {
  at: string;
  items: number;
  /** Items of the fullest shard by the number it is made for. */
  fillRatio: number;
  fullestShard: string;
  /** Days until the fullest shard is full at the present rate; null while there is no rate. */
  fullInDays: number | null;
  /** Ratio of the items that no user has any more: deleted and renamed names. */
  staleRatio: number;
  /** Why it is time for the next version; null while it is not. */
  suggestion: string | null;
};

const DAY_MS = 86_400_000;
/** Growth of a shorter time says nothing about days. */
const LEAST_MS = 60 * 60_000;
const LIMITS = { fillRatio: 0.8, staleRatio: 0.2, fullInDays: 14 };

/** What the worker's notes about a version's fill mean for the days to come; null without notes. */
export function forecastFill(progress: unknown, shardCapacity: number): Forecast | null {
  const parsed = progressSchema.safeParse(progress);
  if (!parsed.success) return null;
  const { fill, fillSince } = parsed.data;
  const fillRatio = fill.fullestItems / shardCapacity;
  const tookMs = Date.parse(fill.at) - Date.parse(fillSince.at);
  const perShardAndDay = (((fill.items - fillSince.items) / SHARD_COUNT) * DAY_MS) / tookMs;
  const grows = tookMs >= LEAST_MS && perShardAndDay > 0;
  const fullInDays = grows ? Math.max(0, (shardCapacity - fill.fullestItems) / perShardAndDay) : null;
  const staleRatio = fill.items === 0 ? 0 : Math.max(0, 1 - fill.users / fill.items);
  const fullestShard = shardName(fill.fullestShard);
  return {
    ...{ at: fill.at, items: fill.items, fillRatio, fullestShard, fullInDays, staleRatio },
    suggestion: suggest({ fillRatio, fullestShard, fullInDays, staleRatio }),
  };
}

function suggest(
  now: Pick<Forecast, "fillRatio" | "fullestShard" | "fullInDays" | "staleRatio">,
): string | null {
  const percent = (fillRatio: number) => `${Math.round(fillRatio * 100)} %`;
  if (now.fillRatio >= LIMITS.fillRatio)
    return `Shard ${now.fullestShard} is ${percent(now.fillRatio)} full: rebuild larger.`;
  if (now.fullInDays !== null && now.fullInDays < LIMITS.fullInDays) {
    return `Shard ${now.fullestShard} is full in ${Math.ceil(now.fullInDays)} days: rebuild larger.`;
  }
  if (now.staleRatio > LIMITS.staleRatio) {
    return `${percent(now.staleRatio)} of its names are gone from the database: a rebuild drops them.`;
  }
  return null;
}
