import { versionsIn } from "../filter/versions";
import type { Pool } from "../store/postgres";
import type { RedisClient } from "../store/redis";

export type FilterHealth = {
  status: "ok" | "degraded" | "down";
  /** What is wrong and what it means, in words; empty when all is well. */
  problems: string[];
};

const PROBE_MS = 800;

/** Down without the database: it says what is to be done. */
export async function readFilterHealth({
  pool,
  redis,
}: {
  pool: Pool;
  redis: RedisClient;
}): Promise<FilterHealth> {
  const problems: string[] = [];
  const [active, pong] = await Promise.all([inTime(versionsIn(pool, ["active"])), inTime(redis.ping())]);
  if (active === null) problems.push("The database does not answer: nothing can be built or flipped.");
  if (pong === null) problems.push("Redis does not answer: nothing can be built, repaired or flipped.");
  if (active?.length === 0) problems.push("There is no active version yet.");
  return { status: active === null ? "down" : problems.length > 0 ? "degraded" : "ok", problems };
}

function inTime<T>(promise: Promise<T>): Promise<T | null> {
  const late = new Promise<null>(resolve => setTimeout(resolve, PROBE_MS, null).unref());
  return Promise.race([promise.catch(() => null), late]);
}
