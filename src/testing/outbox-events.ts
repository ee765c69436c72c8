import type { Pool, PoolClient } from "../store/postgres";

export type StoredEvent = {
  seq: string;
  aggregatetype: string;
  aggregateid: string;
  type: string;
  payload: Record<string, unknown>;
  xid: string;
  attempts: number;
  dataErrors: number;
  lastError: string | null;
  claimedBy: string | null;
  state: "pending" | "processed" | "dead";
};

/** The whole outbox, oldest first. */
export async function outboxEvents(pool: Pool | PoolClient): Promise<StoredEvent[]> {
  const { rows } = await pool.query<StoredEvent>(
    `SELECT seq::text, aggregatetype, aggregateid, type, payload, xid::text, attempts,
       data_errors AS "dataErrors", last_error AS "lastError", claimed_by AS "claimedBy",
       CASE WHEN dead_at IS NOT NULL THEN 'dead' WHEN processed_at IS NOT NULL THEN 'processed' ELSE 'pending' END AS state
     FROM outbox ORDER BY outbox.seq`,
  );
  return rows;
}

/** Number of events that are neither processed nor dead. */
export async function pendingEvents(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM outbox WHERE processed_at IS NULL AND dead_at IS NULL",
  );
  return rows[0]!.count;
}

/** Inserts an event that the trigger would not write; returns its seq. */
export async function insertEvent(pool: Pool, type: string, payload: unknown): Promise<string> {
  const { rows } = await pool.query<{ seq: string }>(
    `INSERT INTO outbox (aggregatetype, aggregateid, type, payload) VALUES ('username', 'test', $1, $2)
     RETURNING seq::text`,
    [type, JSON.stringify(payload)],
  );
  return rows[0]!.seq;
}

/** Makes all rows due for their next attempt. */
export async function skipRetryWaits(pool: Pool): Promise<void> {
  await pool.query("UPDATE outbox SET next_attempt_at = NULL WHERE next_attempt_at IS NOT NULL");
}
