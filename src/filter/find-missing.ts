import type { Pool } from "../store/postgres";
import { confirmMissing } from "./confirm-missing";
import type { FilterEngine } from "./engine";
import type { FilterVersion } from "./layout";
import { lookUp } from "./look-up";

/**
 * Looks up the items of `rows` users in a version, from a random position on.
 * @returns the missing names: absent in the version, without a pending event
 */
export async function findMissing(
  where: { pool: Pool; engine: FilterEngine; version: FilterVersion },
  rows: number,
): Promise<{ checked: number; missing: string[] }> {
  // Ids are random, so consecutive ids are a random sample of the names.
  const drawn = await where.pool.query<{ key: string }>({
    name: "draw-usernames",
    text: `
      WITH start AS (SELECT gen_random_uuid() AS id),
      above AS (SELECT u.* FROM users u, start s WHERE u.id >= s.id ORDER BY u.id LIMIT $1),
      below AS (SELECT u.* FROM users u, start s WHERE u.id < s.id ORDER BY u.id
                LIMIT greatest(0, $1 - (SELECT count(*) FROM above))),
      drawn AS (SELECT * FROM above UNION ALL SELECT * FROM below)
      SELECT username_key AS key FROM drawn
      UNION ALL SELECT username_skeleton FROM drawn WHERE username_skeleton <> username_key`,
    values: [rows],
  });
  const keys = drawn.rows.map(row => row.key);
  const { absent } = await lookUp(where.engine, where.version, keys);
  return { checked: keys.length, missing: await confirmMissing(where, absent) };
}
