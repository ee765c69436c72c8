import { inTransaction, type Pool } from "../store/postgres";
import type { FilterVersion } from "./layout";

/**
 *   building ──> active ──> retired
 *
 * building  shards are being made and filled; relays already add to it
 * active    readers follow it; at most one (a unique index)
 * retired   nobody reads it, nobody adds to it
 */
export type VersionState = "building" | "active" | "retired";

/** Versions that every outbox event must reach. */
const LIVE_STATES: VersionState[] = ["building", "active"];

export type StoredVersion = FilterVersion & { state: VersionState };

const COLUMNS = `version, engine, state, shard_capacity AS "shardCapacity", error_rate AS "errorRate"`;

/** Live versions, oldest first. */
export async function liveVersions(pool: Pool): Promise<StoredVersion[]> {
  const { rows } = await pool.query<StoredVersion>({
    name: "live-versions",
    text: `SELECT ${COLUMNS} FROM filter_versions WHERE state = ANY($1) ORDER BY version`,
    values: [LIVE_STATES],
  });
  return rows;
}

/** The number after the highest that was ever given. */
export async function nextVersion(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ next: number }>(
    "SELECT coalesce(max(version), 0) + 1 AS next FROM filter_versions",
  );
  return rows[0]!.next;
}

/** Stores a version as `building`. Rejects when the number was given to another one meanwhile. */
export async function addVersion(pool: Pool, version: FilterVersion): Promise<StoredVersion> {
  const { rows } = await pool.query<StoredVersion>(
    `INSERT INTO filter_versions (version, engine, state, shard_capacity, error_rate)
     VALUES ($1, $2, 'building', $3, $4) RETURNING ${COLUMNS}`,
    [version.version, version.engine, version.shardCapacity, version.errorRate],
  );
  return rows[0]!;
}

/**
 * building -> active, and every other live version -> retired, in one transaction.
 * @returns the versions that were retired
 * @throws when the version is not `building` any more
 */
export async function activateVersion(pool: Pool, version: number): Promise<FilterVersion[]> {
  return inTransaction(pool, async client => {
    const retired = await client.query<StoredVersion>(
      `UPDATE filter_versions SET state = 'retired' WHERE version <> $1 AND state = ANY($2) RETURNING ${COLUMNS}`,
      [version, LIVE_STATES],
    );
    const { rowCount } = await client.query(
      `UPDATE filter_versions SET state = 'active', activated_at = now() WHERE version = $1 AND state = 'building'`,
      [version],
    );
    if (rowCount !== 1) throw new Error(`filter version ${version} is not building`);
    return retired.rows;
  });
}

/** How many users there are, by the planner's estimate or an exact count of a small table. */
export async function estimateUsers(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ estimate: string }>(
    `SELECT greatest(c.reltuples, (SELECT count(*) FROM (SELECT 1 FROM users LIMIT 100000) few))::bigint AS estimate
     FROM pg_class c WHERE c.oid = 'users'::regclass`,
  );
  return Number(rows[0]?.estimate ?? 0);
}

/** Every version there ever was, newest first. */
export async function listVersions(pool: Pool): Promise<StoredVersion[]> {
  const { rows } = await pool.query<StoredVersion>(
    `SELECT ${COLUMNS} FROM filter_versions ORDER BY version DESC`,
  );
  return rows;
}
