import { LIVE_STATES, REMOVAL_STATES, type VersionState } from "../domain/filter/filter-version";
import { inTransaction, type Pool } from "../store/postgres";
import type { FilterVersion } from "./layout";

export type StoredVersion = FilterVersion & {
  state: VersionState;
  /** Capacity of all shards together; null when it is unknown. */
  capacity: number | null;
  /** Shards that accept no more names. */
  fullShards: number[];
  /** Shadow sampling rate and canary weight while it is `ready`, per cent of the reads. */
  shadowPercent: number;
  canaryPercent: number;
  /** Events of this transaction and later ones may be missing in the loaded snapshot. */
  snapshotXmin: string | null;
  verifyRequest: "sample" | "every-row" | null;
  autoPromote: boolean;
  /** End of the bake, in which the worker may roll back automatically. */
  bakeUntil: Date | null;
  activatedAt: Date | null;
  /** When the pointer in Redis named this version. */
  switchedAt: Date | null;
  baseline: unknown;
  progress: Record<string, unknown>;
};

const COLUMNS = `version, engine, state, shard_capacity AS "shardCapacity", error_rate AS "errorRate",
  capacity::float8 AS capacity, full_shards AS "fullShards", shadow_percent AS "shadowPercent",
  canary_percent AS "canaryPercent", snapshot_xmin::text AS "snapshotXmin",
  verify_request AS "verifyRequest", auto_promote AS "autoPromote",
  bake_until AS "bakeUntil", activated_at AS "activatedAt", switched_at AS "switchedAt", baseline, progress`;

/** Versions in any of these states, oldest first. */
export async function versionsIn(pool: Pool, states: readonly VersionState[]): Promise<StoredVersion[]> {
  const { rows } = await pool.query<StoredVersion>({
    name: "versions-in",
    text: `SELECT ${COLUMNS} FROM filter_versions WHERE state = ANY($1) ORDER BY version`,
    values: [states],
  });
  return rows;
}

/** Versions that every outbox event must reach, oldest first. */
export function liveVersions(pool: Pool): Promise<StoredVersion[]> {
  return versionsIn(pool, LIVE_STATES);
}

/** Versions that relays add to: live versions, and versions that are being removed; oldest first. */
export function versionsToFeed(pool: Pool): Promise<StoredVersion[]> {
  return versionsIn(pool, [...LIVE_STATES, ...REMOVAL_STATES]);
}

/** Null when there is no such version. */
export async function readVersion(pool: Pool, version: number): Promise<StoredVersion | null> {
  const { rows } = await pool.query<StoredVersion>({
    name: "read-version",
    text: `SELECT ${COLUMNS} FROM filter_versions WHERE version = $1`,
    values: [version],
  });
  return rows[0] ?? null;
}

/** The versions for the readers' pointer. */
export type Rollout = { revision: number; active: StoredVersion | null; ready: StoredVersion | null };

/** Rises with every change of what readers follow. */
export async function readRevision(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ revision: string }>({
    name: "rollout-revision",
    text: "SELECT revision FROM filter_rollout WHERE id = 1",
  });
  return rows[0]?.revision ?? "0";
}

/** Revision and versions, in one consistent read. */
export async function readRollout(pool: Pool): Promise<Rollout> {
  return inTransaction(pool, async client => {
    // Every change of the rollout locks this row: the versions below belong to this revision.
    const rollout = await client.query<{ revision: string }>(
      "SELECT revision FROM filter_rollout WHERE id = 1 FOR SHARE",
    );
    const { rows } = await client.query<StoredVersion>(
      `SELECT ${COLUMNS} FROM filter_versions WHERE state IN ('active', 'ready')`,
    );
    return {
      revision: Number(rollout.rows[0]?.revision ?? 0),
      active: rows.find(row => row.state === "active") ?? null,
      ready: rows.find(row => row.state === "ready") ?? null,
    };
  });
}

/** Stores the transaction from which on events may be missing in the version's snapshot. */
export async function setSnapshot(pool: Pool, version: number, xmin: string): Promise<void> {
  await pool.query("UPDATE filter_versions SET snapshot_xmin = $2::xid8 WHERE version = $1", [version, xmin]);
}

/** Merges `progress` into the version's stored progress, which the console shows. */
export async function setProgress(pool: Pool, version: number, progress: object): Promise<void> {
  await pool.query(
    "UPDATE filter_versions SET progress = progress || $2 || jsonb_build_object('at', now()) WHERE version = $1",
    [version, JSON.stringify(progress)],
  );
}

/** Notes that no worker is at work on a build: what happens to Redis until the next one is not its doing. */
export async function noteBuildsStopped(pool: Pool): Promise<void> {
  await pool.query(
    `UPDATE filter_versions SET progress = progress || '{"stopped": true}'
     WHERE state IN ('building', 'catching-up', 'verifying')`,
  );
}

/** Stores which shards accept no more names, with a new revision for the readers. */
export async function setFullShards(pool: Pool, version: number, shards: number[]): Promise<void> {
  await inTransaction(pool, async client => {
    // The same lock order as in every other change of the rollout.
    await client.query("SELECT FROM filter_rollout WHERE id = 1 FOR UPDATE");
    const { rowCount } = await client.query(
      "UPDATE filter_versions SET full_shards = $2 WHERE version = $1 AND full_shards <> $2",
      [version, shards],
    );
    if (rowCount) await client.query("UPDATE filter_rollout SET revision = revision + 1 WHERE id = 1");
  });
}

/** Number of users: the planner's estimate, or an exact count of a small table. */
export async function estimateUsers(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ estimate: string }>(
    `SELECT greatest(c.reltuples, (SELECT count(*) FROM (SELECT 1 FROM users LIMIT 100000) counted))::bigint AS estimate
     FROM pg_class c WHERE c.oid = 'users'::regclass`,
  );
  return Number(rows[0]?.estimate ?? 0);
}

/**
 * Whether no version may be requested automatically: one failed within the last ten minutes, or Redis died
 * during the build of the latest one, which could happen again each time.
 */
export async function failedLately(pool: Pool): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT FROM filter_versions WHERE state IN ('failed', 'discarding')
     AND (auto_promote AND state_at > now() - interval '10 minutes'
       OR progress ? 'redisDied' AND version = (SELECT max(version) FROM filter_versions))
     LIMIT 1`,
  );
  return rowCount === 1;
}

/** The latest versions in any state, newest first. */
export async function listVersions(pool: Pool, limit = 50): Promise<StoredVersion[]> {
  const { rows } = await pool.query<StoredVersion>(
    `SELECT ${COLUMNS} FROM filter_versions ORDER BY version DESC LIMIT $1`,
    [limit],
  );
  return rows;
}
