import type { RedisClient } from "../store/redis";
import type { RelayMetrics } from "../telemetry/gate-metrics";

export type RelayHealth = {
  status: "ok" | "degraded" | "down";
  /** What is wrong and what it means, in words; empty when all is well. */
  problems: string[];
};

/** A signup is in the filter within a second or two; this is no longer a matter of load. */
const LATE_SECONDS = 30;
const REDIS_PROBE_MS = 800;

/** Down without the database: there is nothing to deliver from. */
export async function readRelayHealth(deps: {
  redis: Pick<RedisClient, "ping">;
  metrics: RelayMetrics;
}): Promise<RelayHealth> {
  const { redis, metrics } = deps;
  const problems: string[] = [];
  // Measured every second by the housekeeping, which asks the database.
  const lagSeconds = metrics.lagSeconds.read();
  if (lagSeconds === null) problems.push("The database does not answer: nothing is delivered.");
  if (!(await answers(redis))) problems.push("Redis does not answer: events wait in the outbox.");
  if (lagSeconds !== null && lagSeconds > LATE_SECONDS) {
    problems.push(
      `The relay is behind: the oldest of ${metrics.backlog.read() ?? 0} events waits for ${Math.round(lagSeconds)} s.`,
    );
  }
  const dead = metrics.deadLetters.read() ?? 0;
  if (dead > 0) problems.push(`${dead} events were set aside: see outbox.last_error.`);
  return {
    status: lagSeconds === null ? "down" : problems.length > 0 ? "degraded" : "ok",
    problems,
  };
}

function answers(redis: Pick<RedisClient, "ping">): Promise<boolean> {
  return Promise.race([
    redis.ping().then(
      () => true,
      () => false,
    ),
    new Promise<false>(resolve => setTimeout(resolve, REDIS_PROBE_MS, false).unref()),
  ]);
}
