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

export type EstimateInput = {
  /** Names the version is made for. */
  capacity: number;
  errorRate: number;
  /** Names that are there now. */
  rows: number;
  threads: number;
  masters: MasterMemory[];
  rates?: BuildRates;
};

/** What this installation reaches; from its last build, or the defaults. */
export type BuildRates = { rowsPerSecond: number; loadedBytesPerSecond: number };

/** Two cores that Postgres, Redis and the build share; `npm run bench -- rebuild` measures them anew. */
export const DEFAULT_RATES: BuildRates = { rowsPerSecond: 1_000_000, loadedBytesPerSecond: 100_000_000 };

export type BuildEstimate = {
  shardCapacity: number;
  bytesPerShard: number;
  bitsPerName: number;
  /** Of all shards' bits. */
  totalBytes: number;
  /** Share of its capacity that a shard is expected to hold: on average, and the fullest of 256. */
  fill: { mean: number; fullest: number };
  /** Memory of the building process beyond what a bare Node process has. */
  kernelBytes: number;
  seconds: number;
  masters: (MasterMemory & { neededBytes: number; hasRoom: boolean | null })[];
  /** Why it would not work, or would not stay; what to do. Empty: go ahead. */
  problems: string[];
};

/** An entry of the keyspace, and the module's or the string's own header. */
const KEY_OVERHEAD_BYTES = 400;
/** Commands in flight while a server takes its shards, and the script's copies of them. */
const TRANSIENT_BYTES = 8 * 2 ** 20;

/** What a build would take, without doing any of it. @throws RangeError for a capacity or an error rate that no filter has */
export function estimateBuild(input: EstimateInput): BuildEstimate {
  const { capacity, errorRate, rows, threads, rates = DEFAULT_RATES } = input;
  if (!(Number.isSafeInteger(capacity) && capacity >= 1 && capacity <= 2 ** 37))
    throw new RangeError(`a capacity is a whole number from 1 to ${2 ** 37}, not ${capacity}`);
  if (!(errorRate > 0 && errorRate < 1))
    throw new RangeError(`an error rate lies between 0 and 1, such as 0.01, not ${errorRate}`);
  const shardCapacity = shardCapacityFor(capacity);
  const { bytes } = shardLayout({ shardCapacity, errorRate });
  const totalBytes = bytes * SHARD_COUNT;
  const mean = rows / SHARD_COUNT;
  const kernelBytes = totalBytes + threads * WORK_BYTES_PER_THREAD;
  const masters = input.masters.map(master => {
    const neededBytes =
      master.shards === 0
        ? 0
        : master.shards * (allocatedBytes(bytes) + KEY_OVERHEAD_BYTES) +
          allocatedBytes(bytes) +
          TRANSIENT_BYTES;
    const { limitBytes, usedBytes } = master;
    return {
      ...master,
      neededBytes,
      hasRoom: limitBytes === null ? null : usedBytes + neededBytes <= limitBytes,
    };
  });
  const problems: string[] = [];
  if (rows > capacity)
    problems.push(`the capacity is below the ${rows} names that are there: choose at least ${2 * rows}`);
  if (kernelBytes > MAX_KERNEL_BYTES)
    problems.push("a build can hold 4 GiB: choose a smaller capacity or a higher error rate");
  for (const { node, hasRoom, neededBytes, usedBytes, limitBytes, evicts } of masters) {
    if (hasRoom === false)
      problems.push(
        `${node} needs ${mib(neededBytes)} and has ${mib(Math.max(0, limitBytes! - usedBytes))}: give it more memory, or retire a version`,
      );
    if (evicts) problems.push(`${node} may evict shards: set maxmemory-policy to noeviction`);
  }
  return {
    ...{ shardCapacity, bytesPerShard: bytes, bitsPerName: (totalBytes * 8) / capacity, totalBytes },
    fill: { mean: mean / shardCapacity, fullest: (rows === 0 ? 0 : shardCapacityFor(rows)) / shardCapacity },
    ...{ kernelBytes, masters, problems },
    seconds: rows / rates.rowsPerSecond + totalBytes / rates.loadedBytesPerSecond,
  };
}

/** jemalloc's size classes: four to each doubling. Both servers use it on Linux. */
function allocatedBytes(bytes: number): number {
  const step = 2 ** Math.max(4, Math.ceil(Math.log2(bytes)) - 3);
  return Math.ceil(bytes / step) * step;
}

function mib(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20)} MiB`;
}
