import type { Pool } from "../../store/postgres";
import type { RedisClient } from "../../store/redis";
import type { FilterVersion } from "../layout";
import { estimateUsers } from "../versions";
import { readMasterMemory } from "./read-master-memory";
import { defaultThreads } from "./reader-thread";
import { type BuildRates, type BuildWeight, weighBuild } from "./weigh-build";

export type EstimateOptions = {
  pool: Pool;
  redis: RedisClient;
  version: FilterVersion;
  rates?: BuildRates;
};

/** The dry run of a build, against the database and the Redis that are there. Rejects when one does not answer. */
export async function estimateBuild(options: EstimateOptions): Promise<BuildWeight & { rows: number }> {
  const { shardCapacity, errorRate } = options.version;
  const [rows, masters] = await Promise.all([estimateUsers(options.pool), readMasterMemory(options.redis)]);
  const input = { shardCapacity, errorRate, rows, masters, rates: options.rates };
  return { rows, ...weighBuild({ ...input, threads: defaultThreads() }) };
}
