import { versionsIn } from "../filter/versions";
import { type Health, healthOf, valueInTime } from "../runtime/health";
import type { Pool } from "../store/postgres";
import type { RedisClient } from "../store/redis";

const PROBE_MS = 800;

/** Down without the database, which stores the state of every version. */
export async function readFilterHealth({ pool, redis }: { pool: Pool; redis: RedisClient }): Promise<Health> {
  const problems: string[] = [];
  const [active, pong] = await Promise.all([
    valueInTime(versionsIn(pool, ["active"]), PROBE_MS),
    valueInTime(redis.ping(), PROBE_MS),
  ]);
  if (active === null) problems.push("The database does not answer: no version can be built or promoted.");
  if (pong === null) problems.push("Redis does not answer: no version can be built, repaired or promoted.");
  if (active?.length === 0) problems.push("There is no active version yet.");
  return healthOf(problems, active !== null);
}
