import { z } from "zod";
import { count, processSettings, walHeldMaxMb } from "./process-env";

export const relayEnv = z.object({
  ...processSettings,
  RELAY_TIMEOUT_MS: count(2_000),
  RELAY_POLL_MS: count(1_000),
  RELAY_BATCH: z.coerce.number().int().min(1).max(20_000).default(5_000),
  RELAY_LEASE_MS: count(30_000),
  OUTBOX_KEEP_HOURS: count(24),
  RECONCILE_WINDOW_MS: count(300_000),
  WAL_HELD_MAX_MB: walHeldMaxMb,
});

export type RelayEnv = z.output<typeof relayEnv>;
