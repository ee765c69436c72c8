import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { RateLimit, RateLimits } from "../api/context";
import type { RedisClient } from "../store/redis";
import { RATE_LIMIT_PREFIX } from "../store/redis-keys";

/** Each session call costs a query; a browser sends a few a minute, a script may send thousands. */
const SESSION_CALLS_PER_MINUTE = 600;

export type Quotas = { checksPerMinute: number; signUpsPerTenMinutes: number };

/**
 * Checks and session calls are counted in this process, without a round trip: N instances allow N
 * quotas. Signups are counted in Redis over all instances; during an outage of Redis, or while it is another
 * installation's, each instance counts alone, so that signups are neither all refused nor unlimited.
 */
export function createRateLimits(redis: RedisClient, quotas: Quotas): RateLimits {
  return {
    check: perServer("check", quotas.checksPerMinute),
    session: perServer("session", SESSION_CALLS_PER_MINUTE),
    signUp: overAllServers(redis, "signup", quotas.signUpsPerTenMinutes),
  };
}

/**
 * Counts sign-in attempts, right or wrong: per address against one client that tries many names, and per
 * account against many clients that try one account.
 */
export function createSignInLimit(redis: RedisClient, quotas: { perAddress: number; perAccount: number }) {
  const perAddress = overAllServers(redis, "signin-address", quotas.perAddress);
  const perAccount = overAllServers(redis, "signin-account", quotas.perAccount);
  return async ({ address, account }: { address: string; account: string }): Promise<number> => {
    const addressWaitMs = await perAddress(address);
    // A client over its own quota must not use up the quota of the account.
    return addressWaitMs > 0 ? addressWaitMs : perAccount(account);
  };
}

const perServer = (name: string, pointsPerMinute: number) =>
  toLimit(new RateLimiterMemory({ keyPrefix: name, points: pointsPerMinute, duration: 60 }));

/** Orders per second and client, counted in this process. Resolves to the milliseconds to wait, else 0. */
export function createOrderQuota(ordersPerSecond: number) {
  const limiter = new RateLimiterMemory({ keyPrefix: "orders", points: ordersPerSecond, duration: 1 });
  return async (client: string, orders: number): Promise<number> => {
    try {
      await limiter.consume(client, orders);
      return 0;
    } catch (refusal) {
      return refusal instanceof RateLimiterRes ? Math.max(1, refusal.msBeforeNext) : 0;
    }
  };
}

function overAllServers(redis: RedisClient, name: string, pointsPerTenMinutes: number): RateLimit {
  const quota = { points: pointsPerTenMinutes, duration: 600 };
  const alone = new RateLimiterMemory({ keyPrefix: name, ...quota });
  const limitAlone = toLimit(alone);
  const limitTogether = toLimit(
    new RateLimiterRedis({
      storeClient: redis,
      keyPrefix: `${RATE_LIMIT_PREFIX}:${name}`,
      rejectIfRedisNotReady: true,
      insuranceLimiter: alone,
      ...quota,
    }),
  );
  return client => (redis.guard.isOwner ? limitTogether : limitAlone)(client);
}

function toLimit(limiter: RateLimiterMemory | RateLimiterRedis): RateLimit {
  return async clientAddress => {
    try {
      await limiter.consume(clientAddress);
      return 0;
    } catch (refusal) {
      // Other errors are faults of the limiter, which must not refuse requests.
      return refusal instanceof RateLimiterRes ? Math.max(1, refusal.msBeforeNext) : 0;
    }
  };
}
