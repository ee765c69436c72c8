import { groupByShard } from "../deliver";
import type { FilterEngine } from "../engine";
import type { FilterVersion } from "../layout";
import { everyUsername } from "../username-pages";
import { closeSocket, snapshotClient } from "./snapshot";

/** A page takes one round trip for each shard; its query takes far less than a timeout. */
const PAGE_ROWS = 20_000;

export type InsertOptions = {
  databaseUrl: string;
  engine: FilterEngine;
  version: FilterVersion;
  shards: number[];
  timeLimitMs: number;
  signal: AbortSignal;
  throttle?: () => Promise<void>;
  /** Names that are inserted so far. */
  onInserted?: (names: number) => void;
};

/**
 * Fills shards name by name, for a server that does not accept prebuilt shards; they stay open. It reads
 * short keyset pages of the live table: a name of the snapshot that is on no page has been released.
 * @throws when Redis refuses a name, or Redis or Postgres does not answer
 */
export async function insertNames(options: InsertOptions): Promise<void> {
  const { engine, version, signal } = options;
  // One by one: after a failure no command in flight may create a shard.
  for (const shard of options.shards) {
    signal.throwIfAborted();
    await engine.drop(version, shard);
    await engine.reserve(version, shard);
  }
  const wanted = new Set(options.shards);
  const client = snapshotClient(options);
  const stop = () => closeSocket(client);
  signal.addEventListener("abort", stop);
  try {
    await client.connect();
    let inserted = 0;
    for await (const keys of everyUsername(client, PAGE_ROWS)) {
      const byShard = [...groupByShard(keys)].filter(([shard]) => wanted.has(shard));
      await Promise.all(
        byShard.map(async ([shard, indexes]) => {
          const names = indexes.map(index => keys[index]!);
          const outcomes = await engine.add(version, shard, names);
          const refused = outcomes.find(outcome => outcome !== "added");
          if (refused) {
            throw new Error(`Redis refused a name of v${version.version}, shard ${shard}: ${refused.error}`);
          }
          inserted += outcomes.length;
        }),
      );
      options.onInserted?.(inserted);
      await options.throttle?.();
      signal.throwIfAborted();
    }
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}
