import { z } from "zod";
import { count, processSettings } from "./process-env";

export const filterEnv = z.object({
  ...processSettings,
  FILTER_ENGINE: z.enum(["auto", "redisbloom", "bitmap"]).default("auto"),
  /** Names the first version is made for, at least; twice the users that are there, if that is more. */
  FILTER_CAPACITY: z.coerce.number().int().min(1_000).max(200_000_000_000).default(10_000_000),
  FILTER_ERROR_RATE: z.coerce.number().min(1e-6).max(0.25).default(0.01),
  FILTER_BAKE_MINUTES: count(15),
  FILTER_REDIS_TIMEOUT_MS: count(5_000),
  FILTER_TICK_MS: count(1_000),
});

export type FilterEnv = z.output<typeof filterEnv>;
