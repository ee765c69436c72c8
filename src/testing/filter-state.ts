import type { VersionState } from "../domain/filter/filter-version";
import type { FilterEngine, ShardState } from "../filter/engine";
import { ALL_SHARDS, type FilterVersion, shardOf } from "../filter/layout";
import { liveVersions, readVersion, type StoredVersion } from "../filter/versions";
import type { Pool } from "../store/postgres";

/** The first `count` names with this prefix that lie in the shard. */
export function namesInShard(shard: number, prefix: string, count: number): string[] {
  const names: string[] = [];
  for (let i = 0; names.length < count; i += 1) {
    if (shardOf(`${prefix}${i}`) === shard) names.push(`${prefix}${i}`);
  }
  return names;
}

/** Names with another result than "maybe": false negatives, or names of unsealed shards. */
export async function namesNotIn(
  engine: FilterEngine,
  version: FilterVersion,
  names: string[],
): Promise<string[]> {
  const missing: string[] = [];
  for (let from = 0; from < names.length; from += 2_000) {
    const page = names.slice(from, from + 2_000);
    const answers = await Promise.all(page.map(name => engine.lookup(version, shardOf(name), name)));
    missing.push(...page.filter((_, index) => answers[index] !== "maybe"));
  }
  return missing;
}

export async function shardStates(engine: FilterEngine, version: FilterVersion): Promise<ShardState[]> {
  return Promise.all(ALL_SHARDS.map(shard => engine.probe(version, shard)));
}

/** The active version, or null. */
export async function activeVersion(pool: Pool): Promise<StoredVersion | null> {
  return (await liveVersions(pool)).find(version => version.state === "active") ?? null;
}

/** A version in the given state, with 256 sealed, empty shards. */
export async function makeVersion(
  pool: Pool,
  engine: FilterEngine,
  { state = "active", shardCapacity = 1_000 }: { state?: VersionState; shardCapacity?: number } = {},
): Promise<StoredVersion> {
  const { rows } = await pool.query<{ version: number }>(
    `INSERT INTO filter_versions (version, engine, state, shard_capacity, error_rate, activated_at, switched_at)
     SELECT coalesce(max(version), 0) + 1, $1, $2, $3, 0.01, now(), now() FROM filter_versions RETURNING version`,
    [engine.name, state, shardCapacity],
  );
  const version = (await readVersion(pool, rows[0]!.version))!;
  await Promise.all(ALL_SHARDS.map(shard => engine.reserve(version, shard)));
  await Promise.all(ALL_SHARDS.map(shard => engine.seal(version, shard)));
  await pool.query("UPDATE filter_rollout SET revision = revision + 1");
  return version;
}

/** The items of all committed users: each key, and each skeleton that is not its key. */
export async function committedNames(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ key: string }>(
    `SELECT username_key AS key FROM users
     UNION ALL SELECT username_skeleton FROM users WHERE username_skeleton <> username_key`,
  );
  return rows.map(row => row.key);
}
