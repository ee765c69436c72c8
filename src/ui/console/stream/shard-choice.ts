import type { ShardList } from "../contract";

type Row = Pick<ShardList["rows"][number], "shardId" | "share" | "utilization" | "neighbours">;

/** The shard to split first: the fullest one, or the one with the widest range while no load is known. */
export function fullestShard(rows: readonly Row[]): string | null {
  const [first] = rows.toSorted(
    (a, b) => (b.utilization ?? -1) - (a.utilization ?? -1) || b.share - a.share || order(a, b),
  );
  return first?.shardId ?? null;
}

/** The neighbour with the least load; null when the shard has none. */
export function emptiestNeighbour(rows: readonly Row[], shardId: string): string | null {
  const neighbours = rows.find(row => row.shardId === shardId)?.neighbours ?? [];
  const [first] = rows
    .filter(row => neighbours.includes(row.shardId))
    .toSorted((a, b) => (a.utilization ?? 0) - (b.utilization ?? 0) || a.share - b.share || order(a, b));
  return first?.shardId ?? null;
}

const order = (a: Row, b: Row) => Number(a.shardId) - Number(b.shardId);
