import {
  type ReplicationSlot,
  type ReplicationSlots,
  SLOTS_LISTED,
} from "../domain/replication/replication-slot";
import { WAL_MB } from "../domain/replication/wal-size";
import type { Pool } from "./postgres";

/** Without a slot there is one row, of nulls and the limit. */
type Row = (ReplicationSlot | { name: null }) & { keepMaxMb: number };

/**
 * The replication slots of the server, from its memory. A slot belongs to the server and not to a database: one that
 * another product has forgotten fills the same disk.
 * @throws also where the role may not see the slots
 */
export async function readReplicationSlots(pool: Pool): Promise<Omit<ReplicationSlots, "alertBytes">> {
  const { rows } = await pool.query<Row>({
    name: "replication-slots",
    // An invalidated slot keeps its restart_lsn after some causes, and holds nothing.
    text: `
      SELECT slot_name AS name, active AS "isActive", wal_status AS "walStatus",
        CASE WHEN wal_status <> 'lost' THEN greatest(pg_wal_lsn_diff(
          CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END,
          restart_lsn), 0)::float8 END AS "heldBytes",
        s.setting::float8 AS "keepMaxMb"
      FROM pg_settings s LEFT JOIN pg_replication_slots ON true
      WHERE s.name = 'max_slot_wal_keep_size' ORDER BY "heldBytes" DESC NULLS LAST, slot_name LIMIT ${SLOTS_LISTED}`,
  });
  const slots = rows.flatMap(row => (row.name === null ? [] : [toSlot(row)]));
  const keepMaxMb = rows[0]?.keepMaxMb ?? -1;
  return { slots, keepMaxBytes: keepMaxMb < 0 ? null : keepMaxMb * WAL_MB };
}

const toSlot = ({ name, isActive, walStatus, heldBytes }: ReplicationSlot): ReplicationSlot => ({
  name,
  isActive,
  walStatus,
  heldBytes,
});
