import { estimateVersion } from "../../filter/build/estimate-version";
import { detectEngine } from "../../filter/detect-engine";
import type { EngineName } from "../../filter/layout";
import type { GateDeps } from "./read-gates";

export type RebuildWish = { capacity: number; errorRate: number; engine?: EngineName };

export type RebuildPlan = {
  capacity: number;
  errorRate: number;
  engine: EngineName;
  shardCapacity: number;
  /** Of all shards in Redis. */
  sizeBytes: number;
  bitsPerName: number;
  /** Rows the database is estimated to have. */
  rows: number;
  /** Share of its capacity that a shard is expected to hold: on average, and the fullest. */
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
};

/** What a rebuild would take, without doing anything. */
export async function planRebuild(deps: GateDeps, wish: RebuildWish): Promise<RebuildPlan> {
  const detected = await detectEngine(deps.redis);
  const { capacity, errorRate, engine = detected } = wish;
  const estimate = await estimateVersion(deps, { capacity, errorRate });
  const problems = [...estimate.problems];
  if (engine === "redisbloom" && detected === "bitmap") {
    problems.unshift("this Redis has no BF.* commands: choose the engine bitmap");
  }
  return {
    ...{ capacity, errorRate, engine },
    shardCapacity: estimate.shardCapacity,
    sizeBytes: estimate.totalBytes,
    bitsPerName: estimate.bitsPerName,
    rows: estimate.rows,
    fill: estimate.fill,
    expectedSeconds: estimate.seconds,
    workerBytes: estimate.kernelBytes,
    masters: estimate.masters.map(({ node, neededBytes, usedBytes, limitBytes, hasRoom }) => ({
      ...{ node, neededBytes, usedBytes, limitBytes, hasRoom },
    })),
    problem: problems.length === 0 ? null : sentence(problems.join("; ")),
  };
}

function sentence(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}
