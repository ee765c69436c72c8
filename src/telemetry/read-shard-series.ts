import { AppError } from "../domain/app-error";
import type { RedisClient } from "../store/redis";
import { heartbeatId } from "./flusher";
import { idOf } from "./instruments";
import { readRollups } from "./read-rollups";
import { SETTLED_AFTER_MS } from "./read-series";
import { floorTo, pickGrid, ROLLUPS } from "./rollups";

/** Per second and per point; null where no server reported. */
export type ShardSeries = {
  shardId: string;
  records: (number | null)[];
  bytes: (number | null)[];
  throttled: (number | null)[];
};
export type ShardSeriesAnswer = { stepMs: number; at: number[]; shards: ShardSeries[] };

const NAMES = {
  records: "order_records_total",
  bytes: "order_bytes_total",
  throttled: "order_throttled_total",
};
/** Of all shards together; more would take Redis a tenth of a second. */
const MAX_VALUES = 30_000;
const MAX_POINTS = 300;

/**
 * The flow through each shard, at the finest resolution that is kept and not too long to read.
 * @throws AppError BAD_REQUEST for a range that cannot be read, BUSY while Redis does not answer
 */
export async function readShardSeries(
  redis: RedisClient,
  shardIds: readonly string[],
  { fromMs, toMs, nowMs = Date.now() }: { fromMs: number; toMs: number; nowMs?: number },
): Promise<ShardSeriesAnswer> {
  // Refuses what cannot be read at all.
  const { rollup: finest } = pickGrid({ fromMs, toMs, nowMs });
  const endMs = Math.min(toMs, nowMs - SETTLED_AFTER_MS);
  const most = Math.min(MAX_POINTS, MAX_VALUES / Math.max(1, shardIds.length * 3));
  const rollup =
    ROLLUPS.slice(ROLLUPS.indexOf(finest)).find(({ stepMs }) => (endMs - fromMs) / stepMs <= most) ??
    ROLLUPS.at(-1)!;
  const { stepMs } = rollup;
  const startMs = floorTo(fromMs, stepMs);
  // Only points that are over: half a point would look like half the load.
  const count = Math.max(0, Math.floor((endMs - startMs) / stepMs));
  const up = heartbeatId("server");
  const ids = shardIds.flatMap(id => Object.values(NAMES).map(name => idOf(name, id)));
  const wanted = [up, ...ids].map(id => ({ id, as: "sum" as const }));
  const points = await readRollups(redis, wanted, { rollup, startMs, stepMs, count }).catch(
    (cause: unknown) => {
      throw new AppError("BUSY", "The shards' figures cannot be read: Redis does not answer.", {
        retryAfterMs: 2_000,
        cause,
      });
    },
  );
  const isUp = points.get(up)!.sums.map(sum => sum !== null);
  const line = (name: string, shardId: string) =>
    points.get(idOf(name, shardId))!.sums.map((sum, n) => (isUp[n] ? ((sum ?? 0) * 1_000) / stepMs : null));
  return {
    stepMs,
    at: Array.from({ length: count }, (_, n) => startMs + n * stepMs),
    shards: shardIds.map(shardId => ({
      shardId,
      records: line(NAMES.records, shardId),
      bytes: line(NAMES.bytes, shardId),
      throttled: line(NAMES.throttled, shardId),
    })),
  };
}
