import { inTransaction, type Pool } from "../store/postgres";
import { readIntent } from "./outbox-row";
import type { Deliver } from "./relay";

const FETCH_ROWS = 5_000;

/** `since`: a time of the database before the snapshot with this xmin was taken, as Postgres writes it. */
export type SnapshotStart = { xmin: string; since: string };

/** Tolerance for a clock of the database that was set back. */
const CLOCK_MARGIN = "1 minute";

/**
 * Delivers every event of transaction `xmin` and later ones, processed or not: these may be missing in a
 * version from this snapshot. The snapshot contains what was processed before `since`. A relay delivers
 * later events and replayed dead letters, because it finds the version live (ADR 3).
 * @returns the number of delivered keys
 * @throws when a key could not be delivered
 */
export async function replaySnapshot(
  pool: Pool,
  { xmin, since, deliver, signal }: SnapshotStart & { deliver: Deliver; signal: AbortSignal },
): Promise<number> {
  return inTransaction(pool, async client => {
    // DECLARE allows no bound parameter, so the number is checked.
    if (!/^\d{1,20}$/.test(xmin)) throw new Error(`Not a transaction id: ${xmin}`);
    // Each half uses an index. xid has no index, and there may be tens of millions of kept rows.
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
      const keys = rows.map(readIntent).flatMap(intent => ("add" in intent ? intent.add : []));
      for (const outcome of await deliver(keys)) {
        if (outcome !== "added") throw new Error(`The replay of the outbox failed: ${outcome.error}`);
      }
      delivered += keys.length;
      if (rows.length < FETCH_ROWS) return delivered;
    }
  });
}
