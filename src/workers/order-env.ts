import { z } from "zod";
import { SHARD_LIMITS } from "../orders/shard-limits";
import { databaseUrl, redisUrl } from "../runtime/url-schemas";

const count = (fallback: number) => z.coerce.number().int().positive().default(fallback);

/** What aggregator and engine share. */
const shared = {
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error"]).default("info"),
  METRICS_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
  ORDER_LOG_NAME: z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/)
    .default("orders"),
  ORDER_LEASE_MS: count(2_000),
  ORDER_POLL_MS: count(4),
};

export const aggregatorEnv = z.object({
  ...shared,
  ORDER_SHARDS: z.coerce.number().int().min(1).max(500).default(5),
  ORDER_LIMITS: z.string().regex(SHARD_LIMITS, "on, off, or records/bytes per second").default("on"),
  ORDER_WINDOW_MS: count(200),
  ORDER_BEAT_MS: count(10),
  ORDER_MAX_WAITING: count(500_000),
  ORDER_MAX_BEHIND: count(2_000_000),
});
export type AggregatorEnv = z.output<typeof aggregatorEnv>;

export const engineEnv = z.object({ ...shared, ENGINE_SNAPSHOT_MS: count(2_000) });
export const labEnv = z.object({
  ...{ DATABASE_URL: shared.DATABASE_URL, REDIS_URL: shared.REDIS_URL, LOG_LEVEL: shared.LOG_LEVEL },
});
export type LabEnv = z.output<typeof labEnv>;
export type EngineEnv = z.output<typeof engineEnv>;
