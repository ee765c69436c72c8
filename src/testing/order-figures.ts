import type { RedisClient } from "../store/redis";
import { heartbeatId } from "../telemetry/flusher";
import { idOf } from "../telemetry/instruments";
import { ROLLUPS } from "../telemetry/rollups";
import { placeOf } from "../telemetry/write-rollups";

/** Rates per second of one symbol, all of it on one shard. */
export type Load = {
  symbol: string;
  shardId: string;
  offered: number;
  durable: number;
  bytes: number;
  throttled: number;
};

const [BEFORE_S, AFTER_S] = [10, 60];

/** Writes what a server with this load would have flushed for the last seconds and the next minute. */
export async function setLoad(redis: RedisClient, load: Load, nowMs = Date.now()): Promise<void> {
  const { symbol, shardId, offered, durable, bytes, throttled } = load;
  const perSecond: [string, number][] = [
    [heartbeatId("server"), 1],
    [idOf("orders_offered_total", symbol), offered],
    [idOf("orders_durable_total", symbol), durable],
    [idOf("symbol_records_total", symbol), durable],
    [idOf("symbol_bytes_total", symbol), bytes],
    [idOf("order_records_total", shardId), durable],
    [idOf("order_bytes_total", shardId), bytes],
    [idOf("order_throttled_total", shardId), throttled],
  ];
  const pipeline = redis.pipeline();
  for (let second = -BEFORE_S; second < AFTER_S; second += 1)
    for (const [id, amount] of perSecond) {
      const { key, field } = placeOf(ROLLUPS[0]!, nowMs + second * 1_000, { id });
      pipeline.hset(key, field, amount);
    }
  for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
}
