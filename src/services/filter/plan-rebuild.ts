import { estimateBuild } from "../../filter/build/estimate-build";
import { detectEngine } from "../../filter/detect-engine";
import { type EngineName, shardCapacityFor } from "../../filter/layout";
import type { GateDeps } from "./read-gates";

export type RebuildRequest = { capacity: number; errorRate: number; engine?: EngineName };

export type RebuildPlan = {
  capacity: number;
  errorRate: number;
  engine: EngineName;
  shardCapacity: number;
  /** Of all shards in Redis. */
  sizeBytes: number;
  /** Rows the database is estimated to have. */
  rows: number;
  /** Ratio of its capacity that a shard is expected to hold: on average, and the fullest. */
  fill: { mean: number; fullest: number };
  expectedSeconds: number;
  /** What the worker needs while it builds. */
  workerBytes: number;
  /** Bytes that each Redis master needs and has; `hasRoom` null where it does not say. */
  masters: {
    node: string;
    neededBytes: number;
    usedBytes: number;
    limitBytes: number | null;
    hasRoom: boolean | null;
  }[];
  /** Why it can't be built; null when it can. */
  problem: string | null;
  /** What may go wrong later; null when nothing is known to. */
  warning: string | null;
};

/** What a rebuild would take, without doing anything. */
export async function planRebuild(deps: GateDeps, request: RebuildRequest): Promise<RebuildPlan> {
  const detected = await detectEngine(deps.redis);
  const { capacity, errorRate, engine = detected } = request;
  const shardCapacity = shardCapacityFor(capacity);
  const estimate = await estimateBuild({
    ...deps,
    version: { version: 0, engine, shardCapacity, errorRate },
  });
  const noEngine =
    engine === "redisbloom" && detected === "bitmap"
      ? "This Redis has no BF.* commands: choose the engine bitmap."
      : null;
  return {
    ...{ capacity, errorRate, engine, shardCapacity },
    sizeBytes: estimate.totalBytes,
    rows: estimate.rows,
    fill: estimate.fill,
    expectedSeconds: estimate.expectedSeconds,
    workerBytes: estimate.workerBytes,
    masters: estimate.masters.map(({ node, neededBytes, usedBytes, limitBytes, hasRoom }) => ({
      ...{ node, neededBytes, usedBytes, limitBytes, hasRoom },
    })),
    problem: noEngine ?? estimate.problem,
    warning: estimate.warnings.join(" ") || null,
  };
}
