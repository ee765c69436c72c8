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
  /** Rejects when another worker may be making these shards by now. */
  confirm: () => Promise<void>;
  /** What Redis remembers: another answer later means that what was written may be gone. */
  memory: () => Promise<string>;
  /** Delivers the events that the snapshot did not see; see outbox/replay-snapshot. */
  replay: (
    start: { xmin: string; since: string },
    deliver: (keys: string[]) => Promise<AddOutcome[]>,
  ) => Promise<number>;
  onSnapshot?: (xmin: string) => Promise<void>;
  /** The shards hold the snapshot: from the end of this on relays must add to the version. */
  onLoaded?: (rows: number) => Promise<void>;
  onProgress?: (progress: BuildProgress) => void;
  /** Resolves when the next piece of work may begin. */
  throttle?: () => Promise<void>;
};

export type MakeShardsResult = {
  rows: number;
  replayed: number;
  /** Shards with more names than they can take: they are not loaded. */
  overfull: number[];
  memory: string;
};

/**
 * Makes shards of a version from the database. No name is missed:
 * 1. they are built from one snapshot and loaded while nobody reads them (no sentinel);
 * 2. from then on relays add to them;
 * 3. events of transactions that the snapshot did not see are replayed, delivered or not;
 * 4. the sentinel comes last, so nobody believes a shard before that;
 * 5. a Redis that restarted or failed over meanwhile makes it start again;
 * 6. and so does another worker that may have loaded them once more behind this one.
 * @throws when Redis or Postgres does not answer, or a shard vanished: begin anew
 */
export async function makeShards(options: MakeShardsOptions): Promise<MakeShardsResult> {
  const { engines, version, shards, signal } = options;
  const engine = engines[version.engine];
  const memory = await options.memory();
  const requireUntouched = async () => {
    await options.confirm();
    if ((await options.memory()) !== memory)
      throw new Error("Redis restarted or failed over while shards were made");
  };
  const since = await readClock(options.pool);
  let noted: Promise<void> | undefined;
  const built = await buildShards({
    databaseUrl: options.databaseUrl,
    engine,
    version,
    shards,
    signal,
    onProgress: options.onProgress,
    throttle: options.throttle,
    onSnapshot(xmin) {
      noted = options.onSnapshot?.(xmin);
      // Awaited below: until then a failure must not pass for one that nobody handles.
      noted?.catch(() => {});
    },
  });
  await noted;
  const { rows, overfull } = built;
  await options.onLoaded?.(rows);
  const made = shards.filter(shard => !overfull.includes(shard));
  const wanted = new Set(made);
  // Without its state: what a relay may excuse in a previous version must not be sealed here.
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

/** The database's time, with all its digits. */
async function readClock(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ now: string }>("SELECT clock_timestamp()::text AS now");
  return rows[0]!.now;
}
