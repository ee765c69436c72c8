import { z } from "zod";
import { databaseUrl, redisUrl } from "../runtime/url-schemas";

const count = (fallback: number) => z.coerce.number().int().positive().default(fallback);

export const relayEnv = z.object({
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error"]).default("info"),
  METRICS_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
  FILTER_ENGINE: z.enum(["auto", "redisbloom", "bitmap"]).default("auto"),
  FILTER_CAPACITY: z.coerce.number().int().min(1_000).max(200_000_000_000).default(10_000_000),
  FILTER_ERROR_RATE: z.coerce.number().min(1e-6).max(0.25).default(0.01),
  RELAY_TIMEOUT_MS: count(2_000),
  RELAY_POLL_MS: count(250),
  RELAY_BATCH: z.coerce.number().int().min(1).max(20_000).default(5_000),
  RELAY_LEASE_MS: count(30_000),
  UPKEEP_MS: count(1_000),
  OUTBOX_KEEP_HOURS: count(24),
  RECONCILE_WINDOW_MS: count(300_000),
});

export type RelayEnv = z.output<typeof relayEnv>;
