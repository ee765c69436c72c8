import { AppError } from "../../domain/app-error";
import type { Engines } from "../../filter/detect-engine";
import type { ShardState } from "../../filter/engine";
import { inBatches } from "../../filter/in-batches";
import { inspectShards } from "../../filter/inspect-shards";
import { ALL_SHARDS } from "../../filter/layout";
import { readVersion } from "../../filter/versions";
import type { Pool } from "../../store/postgres";
import type { RedisClient } from "../../store/redis";
import { shardName } from "../../store/redis-keys";

export type MapCell = {
  /** `00` to `ff`. */
  shard: string;
  state: ShardState | "unreachable";
  items: number | null;
  /** Items divided by the shard's capacity. */
  fill: number | null;
  falsePositiveRate: number | null;
  /** Time of the build or of the last repair; null when it is unknown. */
  madeAt: string | null;
};

/** All 256 shards of one version. @throws AppError NOT_FOUND */
export async function readFilterMap(
  { pool, redis, engines }: { pool: Pool; redis: RedisClient; engines: Engines },
  number: number,
): Promise<MapCell[]> {
  const version = await readVersion(pool, number);
  if (!version) throw new AppError("NOT_FOUND", `There is no filter version v${number}.`);
  const engine = engines[version.engine];
  const states = await inBatches(ALL_SHARDS, shard =>
    engine.probe(version, shard).catch(() => "unreachable" as const),
  );
  const fills = await inspectShards(redis, version);
  const repaired = (version.progress.repaired ?? {}) as Record<string, string>;
  const builtAt = typeof version.progress.builtAt === "string" ? version.progress.builtAt : null;
  return fills.map(({ shard, items, fillRatio, falsePositiveRate }) => {
    const name = shardName(shard);
    const state = states[shard]!;
    return {
      shard: name,
      state,
      items,
      fill: fillRatio,
      falsePositiveRate,
      madeAt: repaired[name] ?? builtAt,
    };
  });
}
