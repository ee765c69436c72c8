/** The server that `npm run test:redisbloom` runs against. Its keys are flushed. */
export function realRedisBloomUrl(): string {
  const url = process.env.REDIS_URL;
  if (!url) {
    throw new Error(
      "Set REDIS_URL to a Redis with BF.* commands whose keys may be flushed; a list for a cluster.",
    );
  }
  return url;
}
