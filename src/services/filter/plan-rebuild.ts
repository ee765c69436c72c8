import { estimateBuild } from "../../filter/build/estimate-build";
import { readMasterMemory } from "../../filter/build/read-master-memory";
import { defaultThreads } from "../../filter/build/reader-thread";
import { detectEngine } from "../../filter/detect-engine";
import { type EngineName, shardCapacityFor } from "../../filter/layout";
import { estimateUsers } from "../../filter/versions";
import type { GateDeps } from "./read-gates";

export type RebuildRequest = { capacity: number; errorRate: number; engine?: EngineName };

export type RebuildPlan = {
  capacity: number;
  errorRate: number;
  engine: EngineName;
  shardCapacity: number;
  /** Size of all shards in Redis. */
  sizeBytes: number;
  /** Estimated rows of the users table. */
  rows: number;
  /** Expected fill ratio of a shard: the average, and the fullest. */
  fill: { mean: number; fullest: number };
  expectedSeconds: number;
  /** Memory that the worker needs for the build. */
  workerBytes: number;
  /** Needed and present memory of each Redis master; `hasRoom` is null where the limit is unknown. */
  masters: {
    node: string;
    neededBytes: number;
    usedBytes: number;
    limitBytes: number | null;
    hasRoom: boolean | null;
  }[];
  /** `unknown`: a master has no memory limit of its own, so it may end for want of memory; asks for a confirmation. */
  room: "enough" | "unknown" | "too little";
  /** Why it can't be built, and what to do; null when it can. */
  problem: string | null;
  /** A risk after the build; null when none is known. */
  warning: string | null;
};

/** The dry run of a rebuild. Rejects when the database or Redis does not answer. */
export async function planRebuild({ pool, redis }: GateDeps, request: RebuildRequest): Promise<RebuildPlan> {
  const [detected, rows, masters] = await Promise.all([
    detectEngine(redis),
    estimateUsers(pool),
    readMasterMemory(redis),
  ]);
  const { capacity, errorRate, engine = detected } = request;
  const shardCapacity = shardCapacityFor(capacity);
  const estimate = estimateBuild({ shardCapacity, errorRate, rows, masters, threads: defaultThreads() });
  const noEngine =
    engine === "redisbloom" && detected === "bitmap"
      ? "This Redis has no BF.* commands. Choose the engine bitmap."
      : null;
  return {
    capacity,
    errorRate,
    engine,
    shardCapacity,
    sizeBytes: estimate.totalBytes,
    rows,
    fill: estimate.fill,
    expectedSeconds: estimate.expectedSeconds,
    workerBytes: estimate.workerBytes,
    masters: estimate.masters.map(({ node, neededBytes, usedBytes, limitBytes, hasRoom }) => ({
      node,
      neededBytes,
      usedBytes,
      limitBytes,
      hasRoom,
    })),
    room: roomOf(estimate.masters),
    problem: noEngine ?? estimate.problem,
    warning: estimate.warnings.join(" ") || null,
  };
}

function roomOf(masters: { hasRoom: boolean | null }[]): RebuildPlan["room"] {
  if (masters.some(({ hasRoom }) => hasRoom === false)) return "too little";
  return masters.length > 0 && masters.every(({ hasRoom }) => hasRoom === true) ? "enough" : "unknown";
}
