import type { Pool } from "../../store/postgres";

/** Their rows count for nothing from their expiry on, and are deleted later. */
const TABLES = ["sessions", "verifications", "idempotency_keys"] as const;

/** Deletes up to `limit` expired rows per table, oldest first; returns the count. Safe to run concurrently. */
export async function sweepExpired(pool: Pool, limit = 1_000): Promise<number> {
  let swept = 0;
  for (const table of TABLES) {
    const { rowCount } = await pool.query({
      name: `sweep-${table}`,
      text: `
        DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM ${table} WHERE expires_at < now()
          ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
      values: [limit],
    });
    swept += rowCount ?? 0;
  }
  return swept;
}
