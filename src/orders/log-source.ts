import { logSourceKey, shardMapKey } from "../store/order-keys";
import type { RedisClient } from "../store/redis";
import { OrderLogSetupError } from "./order-log-setup-error";

export const IN_REDIS = "Redis";

/**
 * Redis stores positions in the shards of a log. They have no meaning in the shards of another log.
 * @param source of the caller's log, such as "Kinesis trades"
 * @throws OrderLogSetupError when the log has another source
 */
export async function requireSource(redis: RedisClient, log: string, source: string): Promise<void> {
  const [stored, hasShards] = await Promise.all([
    redis.get(logSourceKey(log)),
    redis.exists(shardMapKey(log)),
  ]);
  const known = stored ?? (hasShards === 1 ? IN_REDIS : null);
  if (known === null || known === source) return;
  throw new OrderLogSetupError(
    `The order log “${log}” is in ${known}, but this process is set to ${source}. Restore ORDER_LOG and ` +
      "KINESIS_STREAM, or move the log as docs/adr/0020-orders-in-kinesis.md says.",
  );
}
