import { z } from "zod";
import { databaseUrl, redisUrl } from "../runtime/url-schemas";

const count = (fallback: number) => z.coerce.number().int().positive().default(fallback);

export const filterEnv = z.object({
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error"]).default("info"),
  METRICS_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
  FILTER_ENGINE: z.enum(["auto", "redisbloom", "bitmap"]).default("auto"),
  /** Names the first version is made for, at least; twice the users that are there, if that is more. */
  FILTER_CAPACITY: z.coerce.number().int().min(1_000).max(200_000_000_000).default(10_000_000),
  FILTER_ERROR_RATE: z.coerce.number().min(1e-6).max(0.25).default(0.01),
  FILTER_BAKE_MINUTES: count(15),
  FILTER_REDIS_TIMEOUT_MS: count(5_000),
  FILTER_TICK_MS: count(1_000),
});

export type FilterEnv = z.output<typeof filterEnv>;
