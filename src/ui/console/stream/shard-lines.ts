import { utilizationOf } from "../../../domain/orders/shard-load";
import type { LineData } from "../charts/points";
import type { ShardSeries } from "../contract";

type Values = (number | null)[];
export type ShardUtilizations = { shardId: string; utilizations: Values };

/** Per shard and point: the utilization of the limit that is met first; null where it is unknown. */
export function utilizationsOf({ shards, limits }: ShardSeries): ShardUtilizations[] {
  return shards.map(({ shardId, records, bytes }) => ({
    shardId,
    utilizations: records.map((value, n) => {
      const [recordsPerSecond, bytesPerSecond] = [value, bytes[n] ?? null];
      if (recordsPerSecond === null || bytesPerSecond === null) return null;
      return utilizationOf({ recordsPerSecond, bytesPerSecond }, limits)?.utilization ?? null;
    }),
  }));
}

/** More lines would be hard to distinguish. The fullest other shard has one more line. */
const MAX_LINES = 5;
export const OTHERS = "others";

/** The shards with the highest load over the whole window, fullest first. */
export function busiestShards(all: readonly ShardUtilizations[]): string[] {
  const total = ({ utilizations }: ShardUtilizations) =>
    utilizations.reduce<number>((sum, utilization) => sum + (utilization ?? 0), 0);
  return [...all]
    .sort((a, b) => total(b) - total(a) || (a.shardId < b.shardId ? -1 : 1))
    .slice(0, all.length <= MAX_LINES + 1 ? MAX_LINES + 1 : MAX_LINES)
    .map(({ shardId }) => shardId);
}

/** One line per named shard, one for the highest of the others, and one for the highest of all. */
export function toShardLines(
  { stepMs, at }: Pick<ShardSeries, "stepMs" | "at">,
  all: readonly { shardId: string; values: Values }[],
  named: readonly string[],
): LineData {
  const values: Record<string, Values> = {};
  const rest: Values[] = [];
  for (const one of all) {
    if (named.includes(one.shardId)) values[one.shardId] = one.values;
    else rest.push(one.values);
  }
  if (rest.length > 0) values[OTHERS] = at.map((_, n) => highest(rest.map(line => line[n] ?? null)));
  values.fullest = at.map((_, n) => highest(all.map(line => line.values[n] ?? null)));
  return { stepMs, at, values };
}

/** Null when none is known. */
export function highest(values: Values): number | null {
  return values.reduce<number | null>(
    (top, value) => (value === null ? top : Math.max(top ?? 0, value)),
    null,
  );
}
