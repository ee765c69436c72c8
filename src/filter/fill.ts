import type { Pool } from "../store/postgres";
import { groupByShard } from "./deliver";
import { type FilterEngine, isFull } from "./engine";
import type { FilterVersion } from "./layout";

const PAGE_ROWS = 10_000;

export type FillOptions = {
  pool: Pool;
  engine: FilterEngine;
  version: FilterVersion;
  shards: number[];
  signal: AbortSignal;
  /** Names what Redis remembers: another answer later means that adds may be gone. */
  memory: () => Promise<string>;
};

export type FillResult = {
  /** Names that were offered to the shards. */
  names: number;
  /** Shards that are too small for their names; they stay unsealed. */
  overfull: number[];
};

/**
 * Fills shards of a live version from the users table. No name is missed:
 * 1. the shards exist before the first page is read, so the relay's adds land in them from then on;
 * 2. a name committed before its page was read is on the page;
 * 3. a name committed later has an outbox row that is still to be delivered;
 * 4. the sentinel comes last, so nobody believes a shard before that;
 * 5. a Redis that restarted or failed over meanwhile makes the fill start again.
 * Short keyset pages hold no snapshot open.
 * @throws when Redis or Postgres does not answer, or a shard vanished: the next look fills again
 */
export async function fillShards(options: FillOptions): Promise<FillResult> {
  const { engine, version, signal } = options;
  const before = await options.memory();
  const requireSameMemory = async () => {
    if ((await options.memory()) !== before)
      throw new Error("Redis restarted or failed over during the fill");
  };
  await Promise.all(options.shards.map(shard => engine.reserve(version, shard)));
  const wanted = new Set(options.shards);
  const failures = new Map<number, string>();
  let names = 0;
  for await (const keys of usernamePages(options.pool)) {
    signal.throwIfAborted();
    const byShard = [...groupByShard(keys)].filter(([shard]) => wanted.has(shard));
    await Promise.all(
      byShard.map(async ([shard, indexes]) => {
        const shardKeys = indexes.map(index => keys[index]!);
        const outcomes = await engine.add(version, shard, shardKeys);
        const failed = outcomes.find(outcome => outcome !== "added");
        if (failed) failures.set(shard, failed.error);
        names += outcomes.length;
      }),
    );
  }
  const complete = options.shards.filter(shard => !failures.has(shard));
  await requireSameMemory();
  await Promise.all(complete.map(shard => engine.seal(version, shard)));
  await requireSameMemory().catch(async error => {
    await Promise.all(complete.map(shard => engine.drop(version, shard)));
    throw error;
  });
  const passing = [...failures.values()].find(error => !isFull(error));
  if (passing !== undefined) throw new Error(`filling version ${version.version}: ${passing}`);
  return { names, overfull: [...failures.keys()] };
}

/** Every username key, in bytewise order, a page at a time. */
async function* usernamePages(pool: Pool): AsyncGenerator<string[]> {
  let after = "";
  for (;;) {
    const { rows } = await pool.query<{ key: string }>({
      name: "username-page",
      text: "SELECT username_key AS key FROM users WHERE username_key > $1 ORDER BY username_key LIMIT $2",
      values: [after, PAGE_ROWS],
    });
    if (rows.length > 0) yield rows.map(row => row.key);
    if (rows.length < PAGE_ROWS) return;
    after = rows.at(-1)!.key;
  }
}
