import { isIP } from "node:net";
import { z } from "zod";
import { databaseUrl, redisUrl } from "../runtime/url-schemas";

/** A whole number from 1 on, with a default. */
export const count = (fallback: number) => z.coerce.number().int().positive().default(fallback);

/** How long a stopping server still takes requests, so that balancers can notice; 0 for a server that is alone. */
export const drainMs = z.coerce.number().int().min(0).max(300_000).describe("milliseconds, 300000 at most");

export const port = z.coerce.number().int().min(1).max(65_535).describe("a port number, such as 3000");

/** MB of WAL from which on a replication slot without a consumer is a problem. */
export const walHeldMaxMb = z.coerce
  .number()
  .int()
  .min(0)
  .default(512)
  .describe("a number of MB, such as 512");

/** Letters, digits, hyphens and dots: whether it can be resolved is known when it is listened on. */
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/i;
const DIGITS_AND_DOTS = /^[\d.]+$/;

export const metricsHost = z
  .string()
  .refine(
    host => isIP(host) !== 0 || (HOST_NAME.test(host) && !DIGITS_AND_DOTS.test(host)),
    "is not an IP address, nor a host name",
  )
  .default("127.0.0.1")
  .describe("an address of this machine, such as 127.0.0.1 or ::1, or 0.0.0.0 for all (in a container)");

/** What every process with a database and a Redis reads from its environment. */
export const processSettings = {
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error"]).default("info"),
  METRICS_PORT: port.optional(),
  METRICS_HOST: metricsHost,
};

export type ProcessEnv = {
  DATABASE_URL: string;
  REDIS_URL: string;
  LOG_LEVEL: string;
  METRICS_PORT?: number | undefined;
  METRICS_HOST: string;
};
