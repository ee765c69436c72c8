import { inTransaction, type Pool } from "../store/postgres";
import { readIntent } from "./outbox-row";
import type { Deliver } from "./relay";

const FETCH_ROWS = 5_000;

/** `since`: a time of the database before the snapshot with this xmin was taken, as Postgres writes it. */
export type SnapshotStart = { xmin: string; since: string };

/** By how much the database's clock may have been set back meanwhile. */
const CLOCK_MARGIN = "1 minute";

/**
 * Delivers every event of transaction `xmin` and later ones, processed or not: what a version that
 * was made from the snapshot with this xmin may miss. What was processed before `since` had been committed
 * by then, so the snapshot has it; what is dead comes by a relay when it is revived. An event that is
 * committed after this began is claimed later still, by a relay that then finds the version live (ADR 3).
 * @returns how many keys were delivered
 * @throws when one of them could not be
 */
export async function replaySnapshot(
  pool: Pool,
  { xmin, since, deliver, signal }: SnapshotStart & { deliver: Deliver; signal: AbortSignal },
): Promise<number> {
  return inTransaction(pool, async client => {
    // A bound parameter is not allowed in DECLARE; the number is checked instead.
    if (!/^\d{1,20}$/.test(xmin)) throw new Error(`not a transaction id: ${xmin}`);
    // Both halves have an index; of xid alone there is none, and kept events may be tens of millions.
    const later = `SELECT seq::text, type, payload FROM outbox WHERE xid >= '${xmin}'::xid8 AND`;
    await client.query(
      `DECLARE missed NO SCROLL CURSOR FOR
       ${later} processed_at IS NULL AND dead_at IS NULL UNION ALL
       ${later} processed_at >= ${client.escapeLiteral(since)}::timestamptz - interval '${CLOCK_MARGIN}'`,
    );
    for (let delivered = 0; ; ) {
      signal.throwIfAborted();
      const { rows } = await client.query<{ seq: string; type: string; payload: unknown }>(
        `FETCH ${FETCH_ROWS} FROM missed`,
      );
      const keys = rows.map(readIntent).flatMap(intent => ("add" in intent ? [intent.add] : []));
      for (const outcome of await deliver(keys)) {
        if (outcome !== "added") throw new Error(`replaying the outbox: ${outcome.error}`);
      }
      delivered += keys.length;
      if (rows.length < FETCH_ROWS) return delivered;
    }
  });
}
