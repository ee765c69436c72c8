import { OUTBOX_COUNTED } from "../domain/filter/outbox-limit";
import type { Pool } from "../store/postgres";
import { readIntent } from "./outbox-row";
import { AGE, DELIVERABLE, PENDING } from "./pending-events";
import type { Deliver } from "./relay";

export type Backlog = {
  /** From OUTBOX_COUNTED on an estimate: how far the first and the last pending event are apart. */
  pending: number;
  /** OUTBOX_COUNTED at most. */
  dead: number;
  oldestSeconds: number;
  /** The same without events whose shard is full or missing: the relay can't deliver these. */
  oldestDeliverableSeconds: number;
};

type BacklogRow = Omit<Backlog, "pending"> & { counted: number; span: number };

/** Number of pending events and the age of the oldest. Dead letters are counted separately. */
export async function measureBacklog(pool: Pool): Promise<Backlog> {
  const { rows } = await pool.query<BacklogRow>({
    name: "outbox-backlog",
    // In the order of the index of pending events: its first row is the oldest.
    text: `
      SELECT
        (SELECT count(*)::int FROM oldest_pending_events(${OUTBOX_COUNTED})) AS counted,
        (SELECT coalesce(max(seq) - min(seq) + 1, 0)::float8 FROM outbox WHERE ${PENDING}) AS span,
        coalesce((SELECT ${AGE} FROM outbox WHERE ${PENDING} ORDER BY seq LIMIT 1), 0)::float8 AS "oldestSeconds",
        coalesce((SELECT ${AGE} FROM outbox WHERE ${PENDING} AND ${DELIVERABLE} ORDER BY seq LIMIT 1), 0)::float8
          AS "oldestDeliverableSeconds",
        (SELECT count(*)::int FROM (SELECT FROM outbox WHERE dead_at IS NOT NULL ORDER BY seq LIMIT ${OUTBOX_COUNTED}) d)
          AS dead`,
  });
  const { counted, span, ...backlog } = rows[0]!;
  return { pending: counted < OUTBOX_COUNTED ? counted : Math.max(counted, span), ...backlog };
}

/**
 * Deletes up to `limit` rows that were processed more than `keepMs` ago; returns their number. Rows that
 * a version has still to replay during its build are kept.
 */
export async function purgeProcessed(pool: Pool, keepMs: number, limit = 5_000): Promise<number> {
  const { rowCount } = await pool.query(
    `DELETE FROM outbox WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM outbox WHERE processed_at < clock_timestamp() - $1 * interval '1 millisecond'
         AND NOT EXISTS (SELECT FROM filter_versions v
           WHERE v.state IN ('building', 'catching-up') AND (v.snapshot_xmin IS NULL OR outbox.xid >= v.snapshot_xmin))
       ORDER BY processed_at LIMIT $2 FOR UPDATE SKIP LOCKED))`,
    [keepMs, limit],
  );
  return rowCount ?? 0;
}

/**
 * Delivers the events of the last `windowMs` again: a failover may have lost acknowledged adds. A failed
 * key does not stop the others; a page on which every key failed ends the replay.
 * @returns the number of delivered keys
 * @throws the error of the first failed key
 */
export async function replayProcessed(
  pool: Pool,
  { windowMs, deliver, signal }: { windowMs: number; deliver: Deliver; signal: AbortSignal },
): Promise<number> {
  let after = { at: "-infinity", seq: "0" };
  let delivered = 0;
  let failure: Error | undefined;
  for (;;) {
    signal.throwIfAborted();
    const { rows } = await pool.query<{ seq: string; at: string; type: string; payload: unknown }>({
      name: "outbox-replay",
      text: `
        -- Qualified below: a bare seq would be the text of the select list, and sort as text.
        SELECT seq::text, processed_at::text AS at, type, payload FROM outbox
        WHERE processed_at >= clock_timestamp() - $1 * interval '1 millisecond'
          AND (processed_at, seq) > ($2::timestamptz, $3::bigint)
        ORDER BY outbox.processed_at, outbox.seq LIMIT 5000`,
      values: [windowMs, after.at, after.seq],
    });
    const keys = rows.map(readIntent).flatMap(intent => ("add" in intent ? intent.add : []));
    const errors = (await deliver(keys)).flatMap(outcome => (outcome === "added" ? [] : [outcome.error]));
    if (errors.length > 0) failure ??= new Error(`The replay of the outbox failed: ${errors[0]}`);
    delivered += keys.length - errors.length;
    const last = rows.at(-1);
    const isOver = !last || rows.length < 5_000;
    const isOutage = errors.length > 0 && errors.length === keys.length;
    if (failure && (isOver || isOutage)) throw failure;
    if (isOver) return delivered;
    after = { at: last.at, seq: last.seq };
  }
}

/** The event of a newer name may be on its way: its sign-up conflict is a race, not a false negative. */
const SETTLED_AFTER = "10 seconds";

/**
 * After a sign-up with a UNIQUE conflict although the filter returned "absent": writes an event that adds
 * the name again, unless one is pending. In that case the relay is behind, which has its own alert.
 * @returns whether the absent result was a false negative
 */
export async function requestRedelivery(pool: Pool, key: string): Promise<boolean> {
  const { rows } = await pool.query<{ missed: boolean }>(
    `WITH missed AS (
       SELECT id::text AS id, username_key FROM users u
       WHERE username_key = $1 AND updated_at < now() - interval '${SETTLED_AFTER}'
         AND NOT EXISTS (SELECT FROM outbox o
           WHERE o.aggregateid = u.id::text AND o.processed_at IS NULL AND o.dead_at IS NULL)
     ), requested AS (
       INSERT INTO outbox (aggregatetype, aggregateid, type, payload)
       SELECT 'username', m.id, 'username.claimed', jsonb_build_object('v', 1, 'key', m.username_key) FROM missed m
     )
     SELECT EXISTS (SELECT FROM missed) AS missed`,
    [key],
  );
  return rows[0]?.missed === true;
}
