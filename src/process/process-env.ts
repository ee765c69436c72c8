import { z } from "zod";
import { databaseUrl, redisUrl } from "../runtime/url-schemas";

/** A whole number from 1 on, with a default. */
export const count = (fallback: number) => z.coerce.number().int().positive().default(fallback);

/** How long a stopping server still takes requests, so that balancers can notice; 0 for a server that is alone. */
export const drainMs = z.coerce.number().int().min(0).max(300_000).describe("milliseconds, 300000 at most");

export const port = z.coerce.number().int().min(1).max(65_535).describe("a port number, such as 3000");

/** What every process with a database and a Redis reads from its environment. */
export const processSettings = {
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error"]).default("info"),
  METRICS_PORT: port.optional(),
};

export type ProcessEnv = {
  DATABASE_URL: string;
  REDIS_URL: string;
  LOG_LEVEL: string;
  METRICS_PORT?: number | undefined;
};
