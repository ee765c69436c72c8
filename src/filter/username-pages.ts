import type { Pool } from "../store/postgres";
import { estimateUsers } from "./versions";

/** In a larger table, blocks are sampled instead of rows: reading the whole table would take too long. */
const BLOCK_SAMPLING_FROM = 20_000_000;

type ItemRow = { key: string; skeleton: string | null };

/** The filter's items of these users: each key, and each skeleton that is not its key. */
function itemsOf(rows: ItemRow[]): string[] {
  const skeletons = rows.flatMap(({ skeleton }) => (skeleton === null ? [] : [skeleton]));
  return rows.map(({ key }) => key).concat(skeletons);
}

/** The items of all users, by pages in the bytewise order of keys. No snapshot stays open between pages. */
export async function* everyUsername(pool: Pick<Pool, "query">, pageRows: number): AsyncGenerator<string[]> {
  for (let after = ""; ; ) {
    const { rows } = await pool.query<ItemRow>({
      name: "username-page",
      text: `SELECT username_key AS key, nullif(username_skeleton, username_key) AS skeleton FROM users
        WHERE username_key > $1 ORDER BY username_key LIMIT $2`,
      values: [after, pageRows],
    });
    if (rows.length > 0) yield itemsOf(rows);
    if (rows.length < pageRows) return;
    after = rows.at(-1)!.key;
  }
}

/** The items of a random sample of about `count` users, a page at a time; of all users of a small table. */
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
  const { rows } = await pool.query<ItemRow>(
    // Shuffled before the LIMIT: otherwise the newest rows, at the end of the table, would be left out.
    `SELECT username_key AS key, nullif(username_skeleton, username_key) AS skeleton
     FROM (SELECT username_key, username_skeleton FROM users TABLESAMPLE ${method} ($1)) sample
     ORDER BY random() LIMIT $2`,
    [Math.min(100, (105 * count) / users), count],
  );
  for (let from = 0; from < rows.length; from += pageRows) {
    yield itemsOf(rows.slice(from, from + pageRows));
  }
}
