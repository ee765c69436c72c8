import type { FilterEngine } from "../engine";
import { type FilterVersion, shardLayout } from "../layout";
import { insertNames } from "./insert-names";
import { KernelMemory, type ShardCounts } from "./kernel-memory";
import { loadKernel } from "./load-kernel";
import { loadShards } from "./load-shards";
import { readSnapshot } from "./read-snapshot";
import { defaultThreads } from "./reader-thread";

export type BuildOptions = {
  databaseUrl: string;
  /** On a client whose timeout lets 256 KiB through. */
  engine: FilterEngine;
  version: FilterVersion;
  /** All of them, or the ones to repair. */
  shards: number[];
  signal: AbortSignal;
  /** Called as soon as the snapshot is taken: transactions below `xmin` are in it. Text of an xid8. */
  onSnapshot?: (xmin: string) => void;
  onProgress?: (progress: BuildProgress) => void;
  /** Awaited between small steps: as long as it takes, the database and Redis are left alone. */
  throttle?: () => Promise<void>;
  /** Reading threads at most, each with a connection; as many as there are processors, up to 4. */
  threads?: number;
  /** Pages of the users table that make a further thread worth its start; 512 MiB. */
  blocksPerThread?: number;
  /** Longest time that the snapshot may be open, milliseconds; an hour. */
  timeLimitMs?: number;
};

export type BuildProgress = {
  /** `inserting`: the server takes no ready-made shards, so the names go there one by one. */
  phase: "reading" | "loading" | "inserting";
  /** Of the users table, and bytes of the COPY. */
  rows: number;
  bytes: number;
  estimatedRows: number;
  shardsLoaded: number;
  /** Only while inserting. */
  namesInserted: number;
};

export type BuildResult = {
  /** Rows of the snapshot, whatever their shard. */
  rows: number;
  /** In the order of `shards`. */
  perShard: ({ shard: number } & ShardCounts)[];
  /** Shards that are too small for their names and the sentinel. They were not loaded. */
  overfull: number[];
  xmin: string;
  /** Why the names went to the server one by one; null when it took ready-made shards. */
  insertedBecause: string | null;
  readMs: number;
  loadMs: number;
  /** Highest resident memory of this process during the build. */
  peakRssBytes: number;
};

const BLOCKS_PER_THREAD = 65_536;
const TIME_LIMIT_MS = 3_600_000;
const SAMPLE_MS = 50;
const ABORT_GRACE_MS = 500;

/**
 * Builds shards from a snapshot of the users table and loads them, open: catching up with what came
 * after `xmin` and sealing are the caller's. It may be tried again at any time; what it leaves in
 * Redis when it fails is for the caller to drop or to build over.
 * @throws signal's reason within moments of the abort, RangeError when the shards exceed 4 GiB, or
 * what Postgres or Redis reported
 */
export async function buildShards(options: BuildOptions): Promise<BuildResult> {
  const { databaseUrl, version, shards, signal, onProgress } = options;
  const threads = options.threads ?? defaultThreads();
  const timeLimitMs = options.timeLimitMs ?? TIME_LIMIT_MS;
  const progress: BuildProgress = {
    ...{ phase: "reading", rows: 0, bytes: 0, estimatedRows: 0 },
    ...{ shardsLoaded: 0, namesInserted: 0 },
  };
  const report = (change: Partial<BuildProgress>) => onProgress?.({ ...Object.assign(progress, change) });
  const rss = watchRss();
  try {
    const startedAt = performance.now();
    const module = await loadKernel();
    const memory = KernelMemory.create(module, shardLayout(version), { shards, threads });
    const { rows, xmin } = await readSnapshot({
      ...{ databaseUrl, module, memory, threads, timeLimitMs, signal, throttle: options.throttle },
      blocksPerThread: options.blocksPerThread ?? BLOCKS_PER_THREAD,
      onSnapshot: snapshot => {
        options.onSnapshot?.(snapshot.xmin);
        report({ estimatedRows: snapshot.estimatedRows });
      },
      onRead: report,
    });
    const readAt = performance.now();
    const perShard = shards.map(shard => ({ shard, ...memory.counts(shard) }));
    // The sentinel is an item, too.
    const isOverfull = ({ names }: ShardCounts) => names + 1 > version.shardCapacity;
    const fitting = perShard.filter(counts => !isOverfull(counts)).map(({ shard }) => shard);
    const target = { engine: options.engine, version, shards: fitting, signal, throttle: options.throttle };
    report({ phase: "loading" });
    const insertedBecause = await untilAborted(
      signal,
      (async () => {
        const onLoaded = () => report({ shardsLoaded: progress.shardsLoaded + 1 });
        const refusal = await loadShards({ ...target, memory, onLoaded });
        if (refusal === null) return null;
        report({ phase: "inserting", shardsLoaded: 0 });
        const onInserted = (namesInserted: number) => report({ namesInserted });
        await insertNames({ ...target, databaseUrl, timeLimitMs, onInserted });
        return refusal;
      })(),
    );
    return {
      ...{ rows, perShard, xmin, insertedBecause },
      overfull: perShard.filter(isOverfull).map(({ shard }) => shard),
      readMs: readAt - startedAt,
      loadMs: performance.now() - readAt,
      peakRssBytes: rss.peak(),
    };
  } finally {
    rss.stop();
  }
}

/**
 * An aborted build waits for its commands in flight, so that nothing of it reaches Redis after the
 * caller has dropped the shards; but not for a Redis that does not answer.
 */
function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const onAbort = () => {
      timer = setTimeout(() => reject(signal.reason), ABORT_GRACE_MS);
    };
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work
      .then(resolve, error => reject(signal.aborted ? signal.reason : error))
      .finally(() => {
        signal.removeEventListener("abort", onAbort);
        clearTimeout(timer);
      });
  });
}

function watchRss(): { peak(): number; stop(): void } {
  let highest = 0;
  const peak = () => {
    highest = Math.max(highest, process.memoryUsage.rss());
    return highest;
  };
  peak();
  const timer = setInterval(peak, SAMPLE_MS);
  return { peak, stop: () => clearInterval(timer) };
}
