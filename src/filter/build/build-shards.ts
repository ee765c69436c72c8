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
  /** The timeout of its client must allow commands of 256 KiB. */
  engine: FilterEngine;
  version: FilterVersion;
  /** All shards, or the shards to repair. */
  shards: number[];
  signal: AbortSignal;
  /** Called when the snapshot is taken. Transactions below `xmin` (text of an xid8) are in the snapshot. */
  onSnapshot?: (xmin: string) => void;
  onProgress?: (progress: BuildProgress) => void;
  /** Awaited between small steps; the build pauses until it resolves. */
  throttle?: () => Promise<void>;
  /** Most reading threads, each with a connection. Default: the number of processors, up to 4. */
  threads?: number;
  /** Pages of the users table for each thread. Default: 512 MiB. */
  blocksPerThread?: number;
  /** Longest time that the snapshot may be open, milliseconds. Default: an hour. */
  timeLimitMs?: number;
};

export type BuildProgress = {
  /** `inserting`: the server does not accept prebuilt shards, so the names are added one by one. */
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
  /** Rows of the snapshot, of all shards. */
  rows: number;
  /** In the order of `shards`. */
  perShard: ({ shard: number } & ShardCounts)[];
  /** Shards that are too small for their names and the sentinel; they are not loaded. */
  overfull: number[];
  xmin: string;
  /** Why the names were added one by one; null when the server accepted prebuilt shards. */
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
 * Builds shards from a snapshot of the users table and loads them, open. The caller then replays the
 * events after `xmin` and seals the shards. After a failure the caller drops the shards or builds again.
 * @throws the signal's reason soon after the abort, RangeError when the shards exceed 4 GiB, or the
 * error of Postgres or Redis
 */
export async function buildShards(options: BuildOptions): Promise<BuildResult> {
  const { databaseUrl, version, shards, signal, throttle, timeLimitMs = TIME_LIMIT_MS } = options;
  const threads = options.threads ?? defaultThreads();
  const report = progressReporter(options.onProgress);
  const rss = watchRss();
  try {
    const startedAt = performance.now();
    const module = await loadKernel();
    const memory = KernelMemory.create(module, shardLayout(version), { shards, threads });
    const { rows, xmin } = await readSnapshot({
      databaseUrl,
      module,
      memory,
      threads,
      timeLimitMs,
      signal,
      throttle,
      blocksPerThread: options.blocksPerThread ?? BLOCKS_PER_THREAD,
      onSnapshot: snapshot => {
        options.onSnapshot?.(snapshot.xmin);
        report({ estimatedRows: snapshot.estimatedRows });
      },
      onRead: report,
    });
    const readAt = performance.now();
    const perShard = shards.map(shard => ({ shard, ...memory.counts(shard) }));
    // The sentinel is an item as well.
    const isOverfull = ({ names }: ShardCounts) => names + 1 > version.shardCapacity;
    const fitting = perShard.filter(counts => !isOverfull(counts)).map(({ shard }) => shard);
    const loading = loadOrInsert({ ...options, shards: fitting }, memory, report);
    const insertedBecause = await untilAborted(signal, loading);
    return {
      rows,
      perShard,
      xmin,
      insertedBecause,
      overfull: perShard.filter(isOverfull).map(({ shard }) => shard),
      readMs: readAt - startedAt,
      loadMs: performance.now() - readAt,
      peakRssBytes: rss.peak(),
    };
  } finally {
    rss.stop();
  }
}

type Report = (change: Partial<BuildProgress>) => void;

function progressReporter(onProgress: BuildOptions["onProgress"]): Report {
  const progress: BuildProgress = {
    phase: "reading",
    rows: 0,
    bytes: 0,
    estimatedRows: 0,
    shardsLoaded: 0,
    namesInserted: 0,
  };
  return change => onProgress?.({ ...Object.assign(progress, change) });
}

/** @returns why the names were inserted one by one, or null when the server accepted prebuilt shards */
async function loadOrInsert(
  options: BuildOptions,
  memory: KernelMemory,
  report: Report,
): Promise<string | null> {
  report({ phase: "loading" });
  let shardsLoaded = 0;
  const onLoaded = () => {
    shardsLoaded += 1;
    report({ shardsLoaded });
  };
  const refusal = await loadShards({ ...options, memory, onLoaded });
  if (refusal === null) return null;
  report({ phase: "inserting", shardsLoaded: 0 });
  const { timeLimitMs = TIME_LIMIT_MS } = options;
  await insertNames({ ...options, timeLimitMs, onInserted: namesInserted => report({ namesInserted }) });
  return refusal;
}

/**
 * An aborted build waits for its commands in flight, so that no command reaches Redis after the caller
 * has dropped the shards. It does not wait for a Redis that does not answer.
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
