import { logSourceKey, shardMapKey } from "../store/order-keys";
import type { RedisClient } from "../store/redis";
import { OrderLogSetupError } from "./order-log-setup-error";

export const IN_REDIS = "Redis";

/**
 * What Redis keeps of a log are places in its shards: they mean nothing in the shards of another log.
 * @param source where the caller has the log, such as "Kinesis trades"
 * @throws OrderLogSetupError when it is somewhere else
 */
export async function requireSource(redis: RedisClient, log: string, source: string): Promise<void> {
  const [stored, hasShards] = await Promise.all([
    redis.get(logSourceKey(log)),
    redis.exists(shardMapKey(log)),
  ]);
  const known = stored ?? (hasShards === 1 ? IN_REDIS : null);
  if (known === null || known === source) return;
  throw new OrderLogSetupError(
    `The order log “${log}” is in ${known}, and this process looks for it in ${source}. To do: set ORDER_LOG ` +
      "and KINESIS_STREAM as they were, or move it as docs/adr/0020-orders-in-kinesis.md says.",
  );
}
