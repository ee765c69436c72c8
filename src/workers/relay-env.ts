import { z } from "zod";
import { databaseUrl, redisUrl } from "../runtime/url-schemas";

const count = (fallback: number) => z.coerce.number().int().positive().default(fallback);

export const relayEnv = z.object({
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error"]).default("info"),
  METRICS_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
  RELAY_TIMEOUT_MS: count(2_000),
  RELAY_POLL_MS: count(250),
  RELAY_BATCH: z.coerce.number().int().min(1).max(20_000).default(5_000),
  RELAY_LEASE_MS: count(30_000),
  OUTBOX_KEEP_HOURS: count(24),
  RECONCILE_WINDOW_MS: count(300_000),
});

export type RelayEnv = z.output<typeof relayEnv>;
