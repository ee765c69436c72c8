import { type FlowLimits, utilizationOf } from "../../domain/orders/shard-load";
import type { RedisClient } from "../../store/redis";
import { idOf } from "../../telemetry/instruments";
import { pairOf } from "../../telemetry/order-metrics";
import { readRecent } from "../../telemetry/read-recent";
import type { Figures } from "./live-figures";

/** What one symbol adds to a shard. `utilization`: of the shard's limit, null where it has none. */
export type ShardSymbol = {
  symbol: string;
  recordsPerSecond: number;
  bytesPerSecond: number;
  utilization: number | null;
};

/** The fullest symbols of a shard, and all others together; null when no server has reported. */
export type ShardSymbols = { top: ShardSymbol[]; others: { count: number; recordsPerSecond: number } } | null;

const TOP = 6;
const OVER_SECONDS = 5;
const NAME = "shard_symbol_records_total";

/**
 * Which symbols fill each shard, over the last seconds. Records are counted per shard and symbol; bytes
 * are estimated from the symbol's average record. The remainder of the shard's count belongs to the others.
 * @throws when Redis does not answer
 */
export async function readShardSymbols(
  redis: RedisClient,
  { figures, limits }: { figures: Figures; limits: FlowLimits },
): Promise<Map<string, ShardSymbols>> {
  const { map, shards } = figures;
  if (shards.size === 0) return new Map(map.open.map(({ id }) => [id, null]));
  const pairs = pairsOf(figures);
  const sums = await readRecent(
    redis,
    pairs.map(({ id }) => id),
    { seconds: OVER_SECONDS },
  );
  const byShard = new Map<string, ShardSymbol[]>(map.open.map(({ id }) => [id, []]));
  for (const { id, shardId, symbol } of pairs) {
    const recordsPerSecond = (sums.get(id) ?? 0) / OVER_SECONDS;
    if (recordsPerSecond === 0) continue;
    const flow = { recordsPerSecond, bytesPerSecond: recordsPerSecond * bytesPerRecord(figures, symbol) };
    byShard
      .get(shardId)
      ?.push({ symbol, ...flow, utilization: utilizationOf(flow, limits)?.utilization ?? null });
  }
  return new Map(
    [...byShard].map(([shardId, list]) => [
      shardId,
      fullest(list, shards.get(shardId)?.recordsPerSecond ?? 0),
    ]),
  );
}

/** Only symbols with traffic, on their present shards. */
function pairsOf({ symbols, subKeys }: Figures) {
  return [...symbols].flatMap(([symbol, { recordsPerSecond }]) => {
    if (recordsPerSecond === 0) return [];
    const shardIds = [...new Set((subKeys.get(symbol) ?? []).map(({ shardId }) => shardId))];
    return shardIds.map(shardId => ({ symbol, shardId, id: idOf(NAME, pairOf(shardId, symbol)) }));
  });
}

function bytesPerRecord({ symbols }: Figures, symbol: string): number {
  const { recordsPerSecond, bytesPerSecond } = symbols.get(symbol)!;
  return bytesPerSecond / recordsPerSecond;
}

function fullest(list: ShardSymbol[], total: number): ShardSymbols {
  const sorted = list.sort((a, b) => b.bytesPerSecond - a.bytesPerSecond || (a.symbol < b.symbol ? -1 : 1));
  const top = sorted.slice(0, TOP);
  const known = top.reduce((sum, { recordsPerSecond }) => sum + recordsPerSecond, 0);
  const count = sorted.length - top.length;
  // The two counts are read a moment apart: a small difference is no traffic of other symbols.
  const rest = Math.max(0, total - known);
  return { top, others: { count, recordsPerSecond: count > 0 || rest > total * 0.05 ? rest : 0 } };
}
