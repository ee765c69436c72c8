import { SHARD_COUNT, shardCapacityFor, shardLayout } from "../layout";
import { MAX_KERNEL_BYTES, WORK_BYTES_PER_THREAD } from "./kernel-memory";

/** A Redis master, and how many of the shards it will hold. Bytes; null where it does not say. */
export type MasterMemory = {
  node: string;
  shards: number;
  usedBytes: number;
  /** `maxmemory`, or what the machine has where none is set. */
  limitBytes: number | null;
  limitedBy: "maxmemory" | "machine" | null;
  /** Whether it may throw keys out that never expire. */
  evicts: boolean;
};

/** What an installation reaches. */
export type BuildRates = { rowsPerSecond: number; loadedBytesPerSecond: number };

/** Two cores that Postgres, Redis and the build share; `npm run bench -- rebuild` measures them anew. */
export const DEFAULT_RATES: BuildRates = { rowsPerSecond: 1_000_000, loadedBytesPerSecond: 50_000_000 };

export type BuildWeight = {
  bytesPerShard: number;
  /** Of all shards' bits. */
  totalBytes: number;
  /** Ratio of its capacity that a shard is expected to hold: on average, and the fullest of 256. */
  fill: { mean: number; fullest: number };
  /** Memory of the building process beyond what a bare Node process has. */
  workerBytes: number;
  expectedSeconds: number;
  masters: (MasterMemory & { neededBytes: number; hasRoom: boolean | null })[];
  /** Why it can't work, and what to do; null when nothing is known against it. */
  problem: string | null;
  /** What may go wrong later. */
  warnings: string[];
};

/** An entry of the keyspace, and the module's or the string's own header. */
const KEY_OVERHEAD_BYTES = 400;
/** Commands in flight while a server takes its shards, and the script's copies of them. */
const TRANSIENT_BYTES = 8 * 2 ** 20;

/**
 * What a build of all shards takes, without doing any of it.
 * @param input.rows names that are there now
 */
export function weighBuild(input: {
  shardCapacity: number;
  errorRate: number;
  rows: number;
  threads: number;
  masters: MasterMemory[];
  rates?: BuildRates;
}): BuildWeight {
  const { shardCapacity, rows, rates = DEFAULT_RATES } = input;
  const { bytes } = shardLayout(input);
  const totalBytes = bytes * SHARD_COUNT;
  const workerBytes = totalBytes + input.threads * WORK_BYTES_PER_THREAD;
  const masters = input.masters.map(master => {
    const { shards, limitBytes, usedBytes } = master;
    const oneShard = allocatedBytes(bytes) + KEY_OVERHEAD_BYTES;
    // One more while a shard is replaced, and what is on its way.
    const neededBytes = shards === 0 ? 0 : (shards + 1) * oneShard + TRANSIENT_BYTES;
    return {
      ...master,
      neededBytes,
      hasRoom: limitBytes === null ? null : usedBytes + neededBytes <= limitBytes,
    };
  });
  return {
    bytesPerShard: bytes,
    totalBytes,
    fill: {
      mean: rows / SHARD_COUNT / shardCapacity,
      fullest: (rows === 0 ? 0 : shardCapacityFor(rows)) / shardCapacity,
    },
    workerBytes,
    expectedSeconds: rows / rates.rowsPerSecond + totalBytes / rates.loadedBytesPerSecond,
    masters,
    problem: findProblem({ ...input, workerBytes, masters }),
    warnings: masters
      .filter(({ evicts }) => evicts)
      .map(({ node }) => `${node} may evict shards: set its maxmemory-policy to noeviction.`),
  };
}

function findProblem({
  shardCapacity,
  rows,
  workerBytes,
  masters,
}: Pick<BuildWeight, "workerBytes" | "masters"> & { shardCapacity: number; rows: number }): string | null {
  const holds = shardCapacity * SHARD_COUNT;
  if (rows > holds) return `It would hold ${holds} names, and there are ${rows}: choose a larger capacity.`;
  if (workerBytes > MAX_KERNEL_BYTES)
    return "A build can hold 4 GiB: choose a smaller capacity or a higher error rate.";
  const full = masters.find(({ hasRoom }) => hasRoom === false);
  if (!full) return null;
  const free = mib(Math.max(0, full.limitBytes! - full.usedBytes));
  return `Redis (${full.node}) needs ${mib(full.neededBytes)} and has ${free}: give it more memory, or retire a version.`;
}

/** jemalloc's size classes: four to each doubling. Redis and Valkey use it on Linux. */
function allocatedBytes(bytes: number): number {
  const step = 2 ** Math.max(4, Math.ceil(Math.log2(bytes)) - 3);
  return Math.ceil(bytes / step) * step;
}

function mib(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20)} MiB`;
}
