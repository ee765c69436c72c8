import type { FilterEngine, ShardState } from "../filter/engine";
import { type FilterVersion, SHARD_COUNT, shardOf } from "../filter/layout";
import {
  activateVersion,
  addVersion,
  liveVersions,
  nextVersion,
  type StoredVersion,
} from "../filter/versions";
import type { Pool } from "../store/postgres";

const ALL_SHARDS = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);

/** The first `count` names with this prefix that lie in the shard. */
export function namesInShard(shard: number, prefix: string, count: number): string[] {
  const names: string[] = [];
  for (let i = 0; names.length < count; i += 1) {
    if (shardOf(`${prefix}${i}`) === shard) names.push(`${prefix}${i}`);
  }
  return names;
}

/** Names the version does not answer "maybe" for: false negatives, or shards that prove nothing. */
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

/** The version that readers are to follow, or null. */
export async function activeVersion(pool: Pool): Promise<StoredVersion | null> {
  return (await liveVersions(pool)).find(version => version.state === "active") ?? null;
}

/** An active version with 256 sealed, empty shards. */
export async function makeActiveVersion(
  pool: Pool,
  engine: FilterEngine,
  shardCapacity = 1_000,
): Promise<StoredVersion> {
  const number = await nextVersion(pool);
  const shape = { engine: engine.name, shardCapacity, errorRate: 0.01 };
  const version = await addVersion(pool, { version: number, ...shape });
  await Promise.all(ALL_SHARDS.map(shard => engine.reserve(version, shard)));
  await Promise.all(ALL_SHARDS.map(shard => engine.seal(version, shard)));
  await activateVersion(pool, version.version);
  return version;
}

/** Every username key that is committed now. */
export async function committedNames(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ key: string }>("SELECT username_key AS key FROM users");
  return rows.map(row => row.key);
}
