import { availableParallelism } from "node:os";
import type { Pool } from "../../store/postgres";
import type { RedisClient } from "../../store/redis";
import { estimateUsers } from "../versions";
import { MOST_THREADS } from "./build-shards";
import { type BuildEstimate, estimateBuild } from "./estimate-build";
import { readMasterMemory } from "./read-master-memory";

/** What a build of such a version would take here and now. Rejects while Redis or Postgres does not answer. */
export async function estimateVersion(
  { pool, redis }: { pool: Pool; redis: RedisClient },
  { capacity, errorRate }: { capacity: number; errorRate: number },
): Promise<BuildEstimate & { rows: number }> {
  const [rows, masters] = await Promise.all([estimateUsers(pool), readMasterMemory(redis)]);
  const threads = Math.min(MOST_THREADS, availableParallelism());
  return { ...estimateBuild({ capacity, errorRate, rows, threads, masters }), rows };
}
