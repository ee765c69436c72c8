import type { Pool } from "../store/postgres";
import type { OutboxRow } from "./outbox-row";

/**
 * The four operations of the queue. A row is pending until it is processed or dead. A claim is a lease by
 * the database's clock: the rows of a relay that died become free when the lease ends. Rows are found by
 * state, not by seq: a transaction may commit later with a lower seq.
 */

export type ClaimOptions = { relay: string; limit: number; leaseMs: number };

/** Claims up to `limit` pending rows, oldest first. Two relays never claim the same row. */
export async function claim(pool: Pool, { relay, limit, leaseMs }: ClaimOptions): Promise<OutboxRow[]> {
  const { rows } = await pool.query<OutboxRow>({
    name: "outbox-claim",
    // ARRAY(…) runs the subquery once; without it some plans run it per row and claim every row.
    text: `
      UPDATE outbox o SET claimed_by = $1, claimed_until = clock_timestamp() + $3 * interval '1 millisecond'
      WHERE o.seq = ANY (ARRAY(
        SELECT seq FROM outbox
        WHERE processed_at IS NULL AND dead_at IS NULL
          AND (claimed_until IS NULL OR claimed_until < clock_timestamp())
          AND (next_attempt_at IS NULL OR next_attempt_at < clock_timestamp())
        ORDER BY seq LIMIT $2 FOR UPDATE SKIP LOCKED))
        AND o.processed_at IS NULL AND o.dead_at IS NULL
      RETURNING o.seq::text, o.type, o.payload, o.attempts, o.data_errors AS "dataErrors"`,
    values: [relay, limit, leaseMs],
  });
  // UPDATE … RETURNING guarantees no order.
  return rows.sort((a, b) => Number(a.seq) - Number(b.seq));
}

/** Marks delivered rows as processed; returns how many were not processed before, so that each counts once. */
export async function complete(pool: Pool, seqs: string[]): Promise<number> {
  if (seqs.length === 0) return 0;
  const { rowCount } = await pool.query({
    name: "outbox-complete",
    text: `
      UPDATE outbox SET processed_at = clock_timestamp(), claimed_by = NULL, claimed_until = NULL, last_error = NULL,
        attempts = attempts + 1
      WHERE seq = ANY($1::bigint[]) AND processed_at IS NULL AND dead_at IS NULL`,
    values: [seqs],
  });
  return rowCount ?? 0;
}

export type Failure = {
  seq: string;
  error: string;
  retryInMs: number;
  isDataError: boolean;
  isDead: boolean;
};

/** Releases rows with the error for a later retry, or makes them dead letters. */
export async function fail(pool: Pool, failures: Failure[]): Promise<void> {
  if (failures.length === 0) return;
  await pool.query({
    name: "outbox-fail",
    text: `
      UPDATE outbox o SET claimed_by = NULL, claimed_until = NULL, attempts = o.attempts + 1,
        data_errors = o.data_errors + f.is_data_error::int, last_error = f.error,
        next_attempt_at = clock_timestamp() + f.retry_in_ms * interval '1 millisecond',
        dead_at = CASE WHEN f.is_dead THEN clock_timestamp() END
      FROM unnest($1::bigint[], $2::text[], $3::int[], $4::bool[], $5::bool[])
        AS f (seq, error, retry_in_ms, is_data_error, is_dead)
      WHERE o.seq = f.seq AND o.processed_at IS NULL AND o.dead_at IS NULL`,
    values: [
      failures.map(f => f.seq),
      failures.map(f => f.error.slice(0, 500)),
      failures.map(f => Math.round(f.retryInMs)),
      failures.map(f => f.isDataError),
      failures.map(f => f.isDead),
    ],
  });
}

/** Releases all claims of a relay; called when it stops. */
export async function releaseClaims(pool: Pool, relay: string): Promise<void> {
  await pool.query(
    `UPDATE outbox SET claimed_by = NULL, claimed_until = NULL
     WHERE processed_at IS NULL AND dead_at IS NULL AND claimed_by = $1`,
    [relay],
  );
}
