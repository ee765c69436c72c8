import { estimateBuild } from "../../filter/build/estimate-build";
import { detectEngine } from "../../filter/detect-engine";
import { type EngineName, SHARD_COUNT, shardCapacityFor, shardLayout } from "../../filter/layout";
import { estimateUsers } from "../../filter/versions";
import type { GateDeps } from "./read-gates";

export type RebuildWish = { capacity: number; errorRate: number; engine?: EngineName };

export type RebuildPlan = {
  capacity: number;
  errorRate: number;
  engine: EngineName;
  shardCapacity: number;
  sizeBytes: number;
  /** Rows the database is estimated to have. */
  rows: number;
  expectedSeconds: number;
  /** What the worker needs beside Redis. */
  workerBytes: number;
  /** Why it can't be built; null when it can. */
  problem: string | null;
};

/** What a rebuild would take, without doing anything. */
export async function planRebuild(deps: GateDeps, wish: RebuildWish): Promise<RebuildPlan> {
  const detected = await detectEngine(deps.redis);
  const engine = wish.engine ?? detected;
  const { capacity, errorRate } = wish;
  const shape = { engine, errorRate, shardCapacity: shardCapacityFor(capacity) };
  const rows = await estimateUsers(deps.pool);
  const estimate = await estimateBuild({ ...deps, version: { version: 0, ...shape } });
  const problem =
    engine === "redisbloom" && detected === "bitmap"
      ? "This Redis has no BF.* commands: choose the engine bitmap."
      : capacity < rows
        ? `There are about ${rows.toLocaleString("en-US")} names already: choose a larger capacity.`
        : estimate.problem;
  return {
    ...{ capacity, rows, problem, ...shape },
    sizeBytes: shardLayout(shape).bytes * SHARD_COUNT,
    expectedSeconds: estimate.expectedSeconds,
    workerBytes: estimate.workerBytes,
  };
}
