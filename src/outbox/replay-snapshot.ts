import { inTransaction, type Pool } from "../store/postgres";
import { readIntent } from "./outbox-row";
import type { Deliver } from "./relay";

const FETCH_ROWS = 5_000;

/**
 * Delivers every event of transaction `xmin` and later ones, processed or not: what a version that
 * was made from the snapshot with this xmin may miss. An event that is committed after this began is
 * claimed later still, by a relay that then finds the version live (ADR 3).
 * @returns how many keys were delivered
 * @throws when one of them could not be
 */
export async function replaySnapshot(
  pool: Pool,
  { xmin, deliver, signal }: { xmin: string; deliver: Deliver; signal: AbortSignal },
): Promise<number> {
  return inTransaction(pool, async client => {
    // A bound parameter is not allowed in DECLARE; the number is checked instead.
    if (!/^\d{1,20}$/.test(xmin)) throw new Error(`not a transaction id: ${xmin}`);
    await client.query(
      `DECLARE missed NO SCROLL CURSOR FOR SELECT seq::text, type, payload FROM outbox WHERE xid >= '${xmin}'::xid8`,
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
