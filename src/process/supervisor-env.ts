import { z } from "zod";
import { databaseUrl, redisUrl } from "../runtime/url-schemas";
import { drainMs, metricsHost } from "./process-env";

/** What the supervisor takes from the environment; the children get the rest unchanged. */
export const supervisorEnv = z.object({
  PORT: z.coerce.number().int().min(1).max(65_535).default(3000).describe("a port number, such as 3000"),
  HOST: z.string().default("127.0.0.1").describe("an address of this machine, such as 127.0.0.1 or 0.0.0.0"),
  // Left out, an embedded server is started instead.
  DATABASE_URL: databaseUrl.optional(),
  REDIS_URL: redisUrl.optional(),
  METRICS_PORT: z.coerce
    .number()
    .int()
    .min(1)
    .max(65_530)
    .optional()
    .describe("a port number; the workers take the next five"),
  METRICS_HOST: metricsHost,
  AUTH_SECRET: z.string().min(32).optional().describe("32 random characters or more, or leave it out"),
  // The only server has nobody to leave its requests to.
  SHUTDOWN_DRAIN_MS: drainMs.default(0),
  PUBLIC_URL: z.url().optional().describe("the address people use, such as https://floodgate.example"),
  LOG_FORMAT: z
    .enum(["text", "json"])
    .default("text")
    .describe("text: log files and readable warnings; json: every log line, as JSON, on the terminal"),
  FLOODGATE_DATA_DIR: z.string().optional().describe("a folder for the data, instead of .data"),
});
