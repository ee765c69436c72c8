import { z } from "zod";

const port = z.coerce.number().int().min(1).max(65_535);
const count = (fallback: number) => z.coerce.number().int().positive().default(fallback);

export const serverEnv = z.object({
  DATABASE_URL: z.url().describe("the PostgreSQL URL, such as postgresql://user@host:5432/floodgate"),
  REDIS_URL: z.string().min(1).describe("the Redis URL; several, separated by commas, for a Redis Cluster"),
  AUTH_SECRET: z.string().min(32).describe("at least 32 random characters, the same on every instance"),
  PORT: port.default(3000),
  HOST: z.string().default("127.0.0.1"),
  PUBLIC_URL: z.url().optional().describe("the address people type, such as https://example.com"),
  METRICS_PORT: port.optional(),
  TELEMETRY: z.enum(["on", "off"]).default("on"),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error"]).default("info"),
  TRUSTED_PROXY_HOPS: z.coerce.number().int().min(0).max(10).default(0),
  CHECKS_PER_MINUTE: count(60),
  SIGNUPS_PER_TEN_MINUTES: count(20),
  FILTER_TIMEOUT_MS: count(80),
  CONFIRM_DEADLINE_MS: count(200),
  CONFIRM_CONCURRENCY: count(8),
  CONFIRM_QUEUE: count(128),
  DATABASE_POOL: count(10),
});

export type ServerEnv = z.output<typeof serverEnv>;
