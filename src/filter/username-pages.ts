import type { Pool } from "../store/postgres";
import { estimateUsers } from "./versions";

/** In a larger table, blocks are sampled instead of rows: reading the whole table would take too long. */
const BLOCK_SAMPLING_FROM = 20_000_000;

/** Every username key, in bytewise order, a page at a time. No snapshot stays open between pages. */
export async function* everyUsername(pool: Pick<Pool, "query">, pageRows: number): AsyncGenerator<string[]> {
  for (let after = ""; ; ) {
    const { rows } = await pool.query<{ key: string }>({
      name: "username-page",
      text: "SELECT username_key AS key FROM users WHERE username_key > $1 ORDER BY username_key LIMIT $2",
      values: [after, pageRows],
    });
    if (rows.length > 0) yield rows.map(row => row.key);
    if (rows.length < pageRows) return;
    after = rows.at(-1)!.key;
  }
}

/** A random sample of about `count` username keys, a page at a time; all keys of a small table. */
export async function* sampleUsernames(
  pool: Pool,
  count: number,
  pageRows: number,
): AsyncGenerator<string[]> {
  const users = await estimateUsers(pool);
  if (users <= count) {
    yield* everyUsername(pool, pageRows);
    return;
  }
  const method = users > BLOCK_SAMPLING_FROM ? "SYSTEM" : "BERNOULLI";
  // A little more than `count`: the size of the sample varies, and the table may have grown.
  const { rows } = await pool.query<{ key: string }>(
    // Shuffled before the LIMIT: otherwise the newest rows, at the end of the table, would be left out.
    `SELECT key FROM (SELECT username_key AS key FROM users TABLESAMPLE ${method} ($1)) sample
     ORDER BY random() LIMIT $2`,
    [Math.min(100, (105 * count) / users), count],
  );
  for (let from = 0; from < rows.length; from += pageRows) {
    yield rows.slice(from, from + pageRows).map(row => row.key);
  }
}
