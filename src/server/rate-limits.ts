import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { RateLimit, RateLimits } from "../api/context";
import type { RedisClient } from "../store/redis";
import { RATE_LIMIT_PREFIX } from "../store/redis-keys";

export type Quotas = { checksPerMinute: number; signUpsPerTenMinutes: number };

/**
 * Checks are counted in this process: the hot path pays no round trip for them, and N instances
 * allow N quotas. Signups are counted in Redis, over all instances; while Redis is away each
 * instance counts for itself, so an outage neither locks people out nor opens the gate.
 */
export function createRateLimits(redis: RedisClient, quotas: Quotas): RateLimits {
  const signUpQuota = { points: quotas.signUpsPerTenMinutes, duration: 600 };
  return {
    check: toLimit(
      new RateLimiterMemory({ keyPrefix: "check", points: quotas.checksPerMinute, duration: 60 }),
    ),
    signUp: toLimit(
      new RateLimiterRedis({
        storeClient: redis,
        keyPrefix: `${RATE_LIMIT_PREFIX}:signup`,
        rejectIfRedisNotReady: true,
        insuranceLimiter: new RateLimiterMemory({ keyPrefix: "signup", ...signUpQuota }),
        ...signUpQuota,
      }),
    ),
  };
}

function toLimit(limiter: RateLimiterMemory | RateLimiterRedis): RateLimit {
  return async clientAddress => {
    try {
      await limiter.consume(clientAddress);
      return 0;
    } catch (refusal) {
      // Anything else is a fault of the limiter itself, which must not stop people.
      return refusal instanceof RateLimiterRes ? Math.max(1, refusal.msBeforeNext) : 0;
    }
  };
}
