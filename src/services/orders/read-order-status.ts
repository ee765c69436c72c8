import { AggregatorStatusStore } from "../../aggregate/aggregator-status-store";
import { deadLettersKey, shardStreamKey } from "../../store/order-keys";
import type { Pool } from "../../store/postgres";
import type { ProducerRegistry } from "../../store/producer-registry";
import type { RedisClient } from "../../store/redis";

export type OrderStatusDeps = {
  redis: RedisClient;
  pool: Pool;
  registry: ProducerRegistry;
  log: string;
  /** Elsewhere records can't be counted. */
  isLogInRedis: boolean;
  /** Without silence there is nothing to leave out. */
  windowUs: number;
};

/** How orders flow at the moment: who produces, who aggregates, what waits in each shard, what is matched. */
export async function readOrderStatus(deps: OrderStatusDeps, shardIds: readonly string[]) {
  const { redis, pool, registry, log, isLogInRedis, windowUs } = deps;
  const [view, aggregators, lengths, deadLetters, engines] = await Promise.all([
    registry.view(windowUs),
    new AggregatorStatusStore(redis, log).read(),
    Promise.all(shardIds.map(id => (isLogInRedis ? redis.xlen(shardStreamKey(log, id)) : null))),
    redis.xlen(deadLettersKey(log)),
    pool.query<{ symbol: string; position: string; trades: string; rejects: string; violations: string }>(
      "SELECT symbol, position, trades, rejects, violations FROM engine_states ORDER BY symbol",
    ),
  ]);
  return {
    producers: view.producers.map(({ producer, throughUs, seenUs, except }) => ({
      producer,
      behindMs: Math.max(0, (view.nowUs - throughUs) / 1_000),
      silentMs: Math.max(0, (view.nowUs - seenUs) / 1_000),
      waitingFor: Object.entries(except).map(([symbol, { shardId, throughUs: through }]) => ({
        symbol,
        shardId,
        forMs: Math.max(0, (view.nowUs - through) / 1_000),
      })),
    })),
    aggregators,
    shards: shardIds.map((shardId, i) => ({ shardId, records: lengths[i] ?? null })),
    deadLetters,
    engines: engines.rows.map(row => ({
      symbol: row.symbol,
      position: Number(row.position),
      trades: Number(row.trades),
      rejects: Number(row.rejects),
      violations: Number(row.violations),
    })),
  };
}
