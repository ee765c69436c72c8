import type { Pool } from "../../store/postgres";
import type { RedisClient } from "../../store/redis";
import type { FilterVersion } from "../layout";
export async function estimateBuild(_: {
  pool: Pool;
  redis: RedisClient;
  version: FilterVersion;
}): Promise<{ problem: string | null; expectedSeconds: number; workerBytes: number }> {
  return { problem: null, expectedSeconds: 1, workerBytes: 1 };
}
