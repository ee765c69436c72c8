import { DELIVERED_COUNTED } from "../domain/filter/outbox-limit";
import { RELAY_CONNECTION } from "../store/listener";
import type { Pool, Tx } from "../store/postgres";
import { type Backlog, measureBacklog } from "./backlog";

export type DeadLetter = {
  seq: string;
  type: string;
  payload: unknown;
  lastError: string | null;
  attempts: number;
  createdAt: Date;
  deadAt: Date;
};

/** Dead letters, newest first, a page at a time. `page` counts from 1. */
export async function listDeadLetters(
  pool: Pool,
  { page, pageSize }: { page: number; pageSize: number },
): Promise<{ rows: DeadLetter[]; total: number }> {
  const [letters, count] = await Promise.all([
    pool.query<DeadLetter>(
      `SELECT seq::text, type, payload, last_error AS "lastError", attempts, created_at AS "createdAt", dead_at AS "deadAt"
       FROM outbox WHERE dead_at IS NOT NULL ORDER BY outbox.seq DESC LIMIT $1 OFFSET $2`,
      [pageSize, (page - 1) * pageSize],
    ),
    pool.query<{ total: number }>("SELECT count(*)::int AS total FROM outbox WHERE dead_at IS NOT NULL"),
  ]);
  return { rows: letters.rows, total: count.rows[0]?.total ?? 0 };
}

/** Makes dead letters pending again, without attempts and errors; returns the seqs that were dead. */
export async function requeueDeadLetters(tx: Tx, seqs: string[]): Promise<string[]> {
  const rows = await tx.$queryRaw<{ seq: string }[]>`
    UPDATE outbox SET dead_at = NULL, data_errors = 0, attempts = 0, next_attempt_at = NULL, last_error = NULL
    WHERE seq = ANY(${seqs}::bigint[]) AND dead_at IS NOT NULL RETURNING seq::text`;
  return rows.map(row => row.seq);
}

export type OutboxStatus = Omit<Backlog, "oldestDeliverableSeconds"> & {
  /** DELIVERED_COUNTED at most. */
  deliveredLastMinute: number;
  /** Connected relays, and the number of rows that each has claimed. */
  relays: { name: string; claimed: number }[];
};

/** Claimed events are looked for among so many of the oldest. */
const SCANNED = 20_000;

export async function readOutboxStatus(pool: Pool): Promise<OutboxStatus> {
  const [{ pending, dead, oldestSeconds }, delivered, relays] = await Promise.all([
    measureBacklog(pool),
    pool.query<{ count: number }>({
      name: "outbox-delivered",
      text: `SELECT count_delivered_events(clock_timestamp() - interval '1 minute', ${DELIVERED_COUNTED}) AS count`,
    }),
    pool.query<{ name: string; claimed: number }>({
      name: "outbox-relays",
      // Each relay listens on a connection with its name. The oldest events are claimed first.
      text: `
        SELECT r.name, count(o.claimed_by)::int AS claimed
        FROM (SELECT DISTINCT substr(application_name, length($1) + 1) AS name FROM pg_stat_activity
              WHERE datname = current_database() AND starts_with(application_name, $1)) r
        LEFT JOIN oldest_pending_events(${SCANNED}) o
          ON starts_with(o.claimed_by, r.name) AND o.claimed_until > clock_timestamp()
        GROUP BY 1 ORDER BY 1`,
      values: [RELAY_CONNECTION],
    }),
  ]);
  const deliveredLastMinute = delivered.rows[0]!.count;
  return { pending, dead, oldestSeconds, deliveredLastMinute, relays: relays.rows };
}

export type OutboxEvent = {
  seq: string;
  type: string;
  createdAt: Date;
  state: "pending" | "claimed" | "delivered" | "dead";
  attempts: number;
  lastError: string | null;
};

/** The events about one username key, newest first, at most 50. */
export async function eventsOfKey(pool: Pool, key: string): Promise<OutboxEvent[]> {
  const { rows } = await pool.query<OutboxEvent>(
    `SELECT o.seq::text, o.type, o.created_at AS "createdAt", o.attempts, o.last_error AS "lastError",
       CASE WHEN o.dead_at IS NOT NULL THEN 'dead' WHEN o.processed_at IS NOT NULL THEN 'delivered'
            WHEN o.claimed_until > clock_timestamp() THEN 'claimed' ELSE 'pending' END AS state
     FROM outbox o WHERE o.payload->>'key' = $1 OR (o.payload ? 'previousKey' AND o.payload->>'previousKey' = $1)
     ORDER BY o.seq DESC LIMIT 50`,
    [key],
  );
  return rows;
}
