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
  /** Items of the fullest shard divided by its capacity. */
  fillRatio: number;
  fullestShard: string;
  /** Days until the fullest shard is full at the present growth rate; null without growth. */
  fullInDays: number | null;
  /** Ratio of stale items: names that were deleted or renamed. */
  staleRatio: number;
  /** Why a rebuild is advisable; null while it is not. */
  suggestion: string | null;
};

const DAY_MS = 86_400_000;
/** A shorter interval is no basis for a forecast of days. */
const MIN_INTERVAL_MS = 60 * 60_000;
const LIMITS = { fillRatio: 0.8, staleRatio: 0.2, fullInDays: 14 };

/** Forecast from the worker's fill samples of a version; null without samples. */
export function forecastFill(progress: unknown, shardCapacity: number): Forecast | null {
  const parsed = progressSchema.safeParse(progress);
  if (!parsed.success) return null;
  const { fill, fillSince } = parsed.data;
  const fillRatio = fill.fullestItems / shardCapacity;
  const tookMs = Date.parse(fill.at) - Date.parse(fillSince.at);
  const perShardAndDay = (((fill.items - fillSince.items) / SHARD_COUNT) * DAY_MS) / tookMs;
  const grows = tookMs >= MIN_INTERVAL_MS && perShardAndDay > 0;
  const fullInDays = grows ? Math.max(0, (shardCapacity - fill.fullestItems) / perShardAndDay) : null;
  const staleRatio = fill.items === 0 ? 0 : Math.max(0, 1 - fill.users / fill.items);
  const fullestShard = shardName(fill.fullestShard);
  return {
    at: fill.at,
    items: fill.items,
    fillRatio,
    fullestShard,
    fullInDays,
    staleRatio,
    suggestion: suggest({ fillRatio, fullestShard, fullInDays, staleRatio }),
  };
}

function suggest(
  now: Pick<Forecast, "fillRatio" | "fullestShard" | "fullInDays" | "staleRatio">,
): string | null {
  const percent = (fillRatio: number) => `${Math.round(fillRatio * 100)} %`;
  if (now.fillRatio >= LIMITS.fillRatio)
    return `Shard ${now.fullestShard} is ${percent(now.fillRatio)} full. Rebuild with a larger capacity.`;
  if (now.fullInDays !== null && now.fullInDays < LIMITS.fullInDays) {
    return `Shard ${now.fullestShard} is full in ${Math.ceil(now.fullInDays)} days. Rebuild with a larger capacity.`;
  }
  if (now.staleRatio > LIMITS.staleRatio) {
    return `${percent(now.staleRatio)} of its names are not in the database any more. A rebuild removes them.`;
  }
  return null;
}
