import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "../store/postgres";
import type { FilterEngine } from "./engine";
import type { FilterVersion } from "./layout";
import { lookUp } from "./look-up";

/** How long a relay may take with a name before its absence is held against the version. */
const PATIENCE = { looks: 20, everyMs: 500 };

/**
 * Which of these names, absent when they were looked up, are really missing. A name whose event is
 * still pending is on its way: it is looked up again, for at most ten seconds.
 */
export async function confirmMissing(
  {
    pool,
    engine,
    version,
    signal,
  }: {
    pool: Pool;
    engine: FilterEngine;
    version: FilterVersion;
    signal: AbortSignal;
  },
  keys: string[],
): Promise<string[]> {
  const missing: string[] = [];
  let absent = keys;
  for (let look = 1; absent.length > 0; look += 1) {
    const pending = await pendingKeys(pool, absent);
    // In this order: an event that was delivered before it was looked for is found by this look-up.
    ({ absent } = await lookUp(engine, version, absent));
    const isLast = look === PATIENCE.looks;
    missing.push(...absent.filter(key => isLast || !pending.has(key)));
    absent = isLast ? [] : absent.filter(key => pending.has(key));
    if (absent.length > 0) await sleep(PATIENCE.everyMs, undefined, { signal });
  }
  return missing;
}

async function pendingKeys(pool: Pool, keys: string[]): Promise<Set<string>> {
  const { rows } = await pool.query<{ key: string }>(
    `SELECT payload->>'key' AS key FROM outbox
     WHERE processed_at IS NULL AND dead_at IS NULL AND payload->>'key' = ANY($1)`,
    [keys],
  );
  return new Set(rows.map(row => row.key));
}
