import { AppError } from "../../domain/app-error";
import type { Engines } from "../../filter/detect-engine";
import type { ShardState } from "../../filter/engine";
import { inBatches } from "../../filter/in-batches";
import { inspectShards } from "../../filter/inspect-shards";
import { ALL_SHARDS } from "../../filter/layout";
import { readVersion, type StoredVersion } from "../../filter/versions";
import type { Pool } from "../../store/postgres";
import type { RedisClient } from "../../store/redis";
import { shardName } from "../../store/redis-keys";

export type MapCell = {
  /** `00` to `ff`. */
  shard: string;
  state: ShardState | "unreachable";
  items: number | null;
  /** Items by the number it is made for. */
  fill: number | null;
  falsePositiveRate: number | null;
  /** When it was made: with its version, or when it was repaired. Null while nobody knows. */
  madeAt: string | null;
};

/** However many consoles are open, a version's shards are looked at once in so long. */
const LOOK_MS = 2_000;
const looks = new WeakMap<RedisClient, Map<number, { at: number; cells: Promise<MapCell[]> }>>();

/** All 256 shards of one version. @throws AppError NOT_FOUND */
export async function readFilterMap(
  deps: { pool: Pool; redis: RedisClient; engines: Engines },
  version: number,
): Promise<MapCell[]> {
  const stored = await readVersion(deps.pool, version);
  if (!stored) throw new AppError("NOT_FOUND", `There is no filter version v${version}.`);
  const known = looks.get(deps.redis) ?? new Map<number, { at: number; cells: Promise<MapCell[]> }>();
  looks.set(deps.redis, known);
  const look = known.get(version);
  if (look && Date.now() - look.at < LOOK_MS) return look.cells;
  const cells = readCells(deps, stored);
  known.set(version, { at: Date.now(), cells });
  return cells;
}

async function readCells(
  { redis, engines }: { redis: RedisClient; engines: Engines },
  version: StoredVersion,
): Promise<MapCell[]> {
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
