import type { Pool } from "../store/postgres";
import type { FilterEngine } from "./engine";
import type { FilterVersion } from "./layout";
import { lookUp } from "./look-up";

/**
 * Which of these names, absent when they were looked up, are really missing. A name whose event is
 * still pending is not: the relay brings it to every live version, however late (ADR 14).
 */
export async function confirmMissing(
  { pool, engine, version }: { pool: Pool; engine: FilterEngine; version: FilterVersion },
  keys: string[],
): Promise<string[]> {
  if (keys.length === 0) return [];
  const pending = await pendingKeys(pool, keys);
  // In this order: an event that was delivered before it was looked for is found by this look-up.
  const { absent } = await lookUp(engine, version, keys);
  return absent.filter(key => !pending.has(key));
}

async function pendingKeys(pool: Pool, keys: string[]): Promise<Set<string>> {
  const { rows } = await pool.query<{ key: string }>(
    `SELECT payload->>'key' AS key FROM outbox
     WHERE processed_at IS NULL AND dead_at IS NULL AND payload->>'key' = ANY($1)`,
    [keys],
  );
  return new Set(rows.map(row => row.key));
}
