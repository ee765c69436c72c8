import { type Health, healthOf, valueInTime } from "../runtime/health";
import type { RedisClient } from "../store/redis";
import type { RelayMetrics } from "../telemetry/gate-metrics";

/** A signup is in the filter within a second or two; load alone does not explain this lag. */
const LATE_SECONDS = 30;
const REDIS_PROBE_MS = 800;

/** Down without the database, which stores the outbox. */
export async function readRelayHealth({
  redis,
  metrics,
  slots,
}: {
  redis: Pick<RedisClient, "ping">;
  metrics: RelayMetrics;
  slots: { problem: string | null };
}): Promise<Health> {
  const problems: string[] = [];
  // Measured every second by the housekeeping, which asks the database.
  const lagSeconds = metrics.lagSeconds.read();
  if (lagSeconds === null) problems.push("It is unknown how many events wait.");
  if ((await valueInTime(redis.ping(), REDIS_PROBE_MS)) === null)
    problems.push("Redis does not answer: events wait in the outbox.");
  if (lagSeconds !== null && lagSeconds > LATE_SECONDS) {
    problems.push(
      `The relay is behind: the oldest of ${metrics.backlog.read() ?? 0} events waits for ${Math.round(lagSeconds)} s.`,
    );
  }
  const dead = metrics.deadLetters.read() ?? 0;
  if (dead > 0) problems.push(`${dead} events are dead letters: see the page Outbox.`);
  if (slots.problem !== null) problems.push(slots.problem);
  return healthOf(problems, lagSeconds !== null);
}
