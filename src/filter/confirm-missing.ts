import type { Pool } from "../store/postgres";
import type { FilterEngine } from "./engine";
import type { FilterVersion } from "./layout";
import { lookUp } from "./look-up";

/**
 * Which of these absent names are really missing. A name with a pending event is not missing: the relay
 * will add it to every live version (ADR 14).
 */
export async function confirmMissing(
  { pool, engine, version }: { pool: Pool; engine: FilterEngine; version: FilterVersion },
  keys: string[],
): Promise<string[]> {
  if (keys.length === 0) return [];
  const pending = await pendingKeys(pool, keys);
  // In this order: this lookup finds a name whose event was delivered before the query.
  const { absent } = await lookUp(engine, version, keys);
  return absent.filter(key => !pending.has(key));
}

async function pendingKeys(pool: Pool, keys: string[]): Promise<Set<string>> {
  const { rows } = await pool.query<{ key: string }>(
    `SELECT payload->>'key' AS key FROM outbox
     WHERE processed_at IS NULL AND dead_at IS NULL AND payload->>'key' = ANY($1)
     UNION ALL
     SELECT u.username_skeleton FROM users u JOIN outbox o ON o.aggregateid = u.id::text
     WHERE u.username_skeleton = ANY($1) AND o.processed_at IS NULL AND o.dead_at IS NULL`,
    [keys],
  );
  return new Set(rows.map(row => row.key));
}
