import { SHARD_COUNT, shardCapacityFor, shardLayout } from "../layout";
import { MAX_KERNEL_BYTES, WORK_BYTES_PER_THREAD } from "./kernel-memory";

/** A Redis master and its number of shards. Sizes in bytes; null where they are unknown. */
export type MasterMemory = {
  node: string;
  shards: number;
  usedBytes: number;
  /** `maxmemory`, or the machine's memory where it is not set. */
  limitBytes: number | null;
  limitedBy: "maxmemory" | "machine" | null;
  /** Whether its policy may evict keys without expiry. */
  evicts: boolean;
};

/** For two cores that Postgres, Redis and the build share; measured by `npm run bench -- rebuild`. */
const RATES = { rowsPerSecond: 1_000_000, loadedBytesPerSecond: 50_000_000 };

export type BuildEstimate = {
  bytesPerShard: number;
  /** Bits of all shards. */
  totalBytes: number;
  /** Expected fill ratio of a shard: the average, and the fullest of 256. */
  fill: { mean: number; fullest: number };
  /** Memory of the building process, without the base of a Node process. */
  workerBytes: number;
  expectedSeconds: number;
  masters: (MasterMemory & { neededBytes: number; hasRoom: boolean | null })[];
  /** Why the build can't work, and what to do; null when no problem is known. */
  problem: string | null;
  warnings: string[];
};

/** An entry of the keyspace, and the header of the module's value or of the string. */
const KEY_OVERHEAD_BYTES = 400;
/** Commands in flight during the loading, and the script's copies of them. */
const TRANSIENT_BYTES = 8 * 2 ** 20;

/** Estimates memory and time of a build of all shards. @param input.rows number of users now */
export function estimateBuild(input: {
  shardCapacity: number;
  errorRate: number;
  rows: number;
  threads: number;
  masters: MasterMemory[];
}): BuildEstimate {
  const { shardCapacity, rows } = input;
  const { bytes } = shardLayout(input);
  const totalBytes = bytes * SHARD_COUNT;
  const workerBytes = totalBytes + input.threads * WORK_BYTES_PER_THREAD;
  const masters = input.masters.map(master => {
    const { shards } = master;
    const oneShard = allocatedBytes(bytes) + KEY_OVERHEAD_BYTES;
    // One more shard while a shard is replaced, and the commands in flight.
    const neededBytes = shards === 0 ? 0 : (shards + 1) * oneShard + TRANSIENT_BYTES;
    return {
      ...master,
      neededBytes,
      hasRoom: hasRoomFor(master, neededBytes),
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
    expectedSeconds: rows / RATES.rowsPerSecond + totalBytes / RATES.loadedBytesPerSecond,
    masters,
    problem: findProblem({ ...input, workerBytes, masters }),
    warnings: masters
      .filter(({ evicts }) => evicts)
      .map(({ node }) => `${node} may evict shards. Set its maxmemory-policy to noeviction.`),
  };
}

/** Null: unknown. What a machine has is no promise, because a container may have less; it is a bound. */
function hasRoomFor({ usedBytes, limitBytes, limitedBy }: MasterMemory, neededBytes: number): boolean | null {
  if (limitBytes === null) return null;
  const fits = usedBytes + neededBytes <= limitBytes;
  return fits && limitedBy === "machine" && neededBytes > 0 ? null : fits;
}

function findProblem({
  shardCapacity,
  rows,
  workerBytes,
  masters,
}: Pick<BuildEstimate, "workerBytes" | "masters"> & { shardCapacity: number; rows: number }): string | null {
  const capacity = shardCapacity * SHARD_COUNT;
  if (rows > capacity) {
    return `The capacity is ${capacity} names, and there are ${rows} users. Choose a larger capacity.`;
  }
  if (workerBytes > MAX_KERNEL_BYTES)
    return "A build is limited to 4 GiB. Choose a smaller capacity or a higher error rate.";
  const full = masters.find(({ hasRoom }) => hasRoom === false);
  if (!full) return null;
  const free = mib(Math.max(0, full.limitBytes! - full.usedBytes));
  return `Redis (${full.node}) needs ${mib(full.neededBytes)} and has ${free}. Add memory, or retire a version.`;
}

/** jemalloc's size classes: four to each doubling. Redis and Valkey use it on Linux. */
function allocatedBytes(bytes: number): number {
  const step = 2 ** Math.max(4, Math.ceil(Math.log2(bytes)) - 3);
  return Math.ceil(bytes / step) * step;
}

function mib(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20)} MiB`;
}
