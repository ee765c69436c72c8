import type { Pool } from "../store/postgres";
import { type BuildProgress, buildShards } from "./build/build-shards";
import { deliverKeys } from "./deliver";
import type { Engines } from "./detect-engine";
import type { AddOutcome } from "./engine";
import { type FilterVersion, shardOf } from "./layout";

export type MakeShardsOptions = {
  pool: Pool;
  databaseUrl: string;
  engines: Engines;
  version: FilterVersion;
  shards: number[];
  signal: AbortSignal;
  /** Rejects when another worker may be making these shards. */
  confirm: () => Promise<void>;
  /** Identity of Redis' memory: when it changes, acknowledged writes may be lost. */
  memory: () => Promise<string>;
  /** Delivers the events that are not in the snapshot; see outbox/replay-snapshot. */
  replay: (
    start: { xmin: string; since: string },
    deliver: (keys: string[]) => Promise<AddOutcome[]>,
  ) => Promise<number>;
  onSnapshot?: (xmin: string) => Promise<void>;
  /** The shards contain the snapshot. When it resolves, relays must add to the version. */
  onLoaded?: (rows: number) => Promise<void>;
  onProgress?: (progress: BuildProgress) => void;
  /** Resolves when the next step may begin. */
  throttle?: () => Promise<void>;
};

export type MakeShardsResult = {
  rows: number;
  replayed: number;
  /** Shards with more names than their capacity; they are not loaded. */
  overfull: number[];
  memory: string;
};

/**
 * Makes shards of a version from the database. No name is missed:
 * 1. the shards are built from one snapshot and loaded without a sentinel, so readers do not use them;
 * 2. from then on relays add to them;
 * 3. events of transactions that are not in the snapshot are replayed, delivered or not;
 * 4. the sentinel is added last;
 * 5. it fails when Redis restarted or failed over meanwhile;
 * 6. it fails when another worker may have loaded the shards again.
 * @throws when Redis or Postgres does not answer, or a shard is missing: start again
 */
export async function makeShards(options: MakeShardsOptions): Promise<MakeShardsResult> {
  const { engines, version, shards, signal } = options;
  const engine = engines[version.engine];
  const memory = await options.memory();
  const requireUntouched = async () => {
    await options.confirm();
    if ((await options.memory()) !== memory)
      throw new Error("Redis restarted or failed over while the shards were made.");
  };
  const since = await readClock(options.pool);
  let snapshotStored: Promise<void> | undefined;
  const built = await buildShards({
    databaseUrl: options.databaseUrl,
    engine,
    version,
    shards,
    signal,
    onProgress: options.onProgress,
    throttle: options.throttle,
    onSnapshot(xmin) {
      snapshotStored = options.onSnapshot?.(xmin);
      // Awaited below; until then a rejection must not count as unhandled.
      snapshotStored?.catch(() => {});
    },
  });
  await snapshotStored;
  const { rows, overfull } = built;
  await options.onLoaded?.(rows);
  const made = shards.filter(shard => !overfull.includes(shard));
  const wanted = new Set(made);
  // Without its state: deliverKeys would ignore some refusals by a previous version.
  const { shardCapacity, errorRate } = version;
  const target = { version: version.version, engine: version.engine, shardCapacity, errorRate };
  const replayed = await options.replay({ xmin: built.xmin, since }, keys =>
    deliverKeys(
      engines,
      [target],
      keys.filter(key => wanted.has(shardOf(key))),
    ),
  );
  await requireUntouched();
  signal.throwIfAborted();
  await Promise.all(made.map(shard => engine.seal(version, shard)));
  await requireUntouched().catch(async error => {
    await Promise.all(made.map(shard => engine.drop(version, shard)));
    throw error;
  });
  return { rows, replayed, overfull, memory };
}

/** The database's time, in full precision. */
async function readClock(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ now: string }>("SELECT clock_timestamp()::text AS now");
  return rows[0]!.now;
}
