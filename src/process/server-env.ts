import { z } from "zod";
import {
  checkOrderLog,
  DEFAULT_SILENCE_MS,
  DEFAULT_WINDOW_MS,
  orderLogSettings,
} from "../orders/order-log-settings";
import { count, drainMs, port, processSettings, walHeldMaxMb } from "./process-env";

const shape = z.object({
  ...processSettings,
  AUTH_SECRET: z.string().min(32).describe("at least 32 random characters, the same on every instance"),
  PORT: port.default(3000),
  HOST: z.string().default("127.0.0.1"),
  PUBLIC_URL: z.url().optional().describe("the address people type, such as https://example.com"),
  ENVIRONMENT_NAME: z.string().max(40).default("local"),
  SHUTDOWN_DRAIN_MS: drainMs.default(5_000),
  TELEMETRY: z.enum(["on", "off"]).default("on"),
  TRUSTED_PROXY_HOPS: z.coerce.number().int().min(0).max(10).default(0),
  CHECKS_PER_MINUTE: count(60),
  SIGNUPS_PER_TEN_MINUTES: count(20),
  SIGNUP_MAX_WAIT_MS: count(2_000),
  SIGNINS_PER_TEN_MINUTES: count(30),
  SIGNINS_PER_ACCOUNT: count(60),
  OIDC_DISCOVERY_URL: z
    .url()
    .optional()
    .describe(
      "the provider's …/.well-known/openid-configuration, with OIDC_CLIENT_ID and OIDC_CLIENT_SECRET",
    ),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_NAME: z.string().min(1).max(40).default("single sign-on"),
  FILTER_TIMEOUT_MS: count(80),
  FILTER_MAX_LAG_MS: count(2_000),
  /** How many people must agree to a promotion. */
  FILTER_APPROVALS: z.coerce.number().int().min(1).max(2).default(1),
  FILTER_BAKE_MINUTES: count(15),
  CONFIRM_DEADLINE_MS: count(200),
  CONFIRM_CONCURRENCY: count(8),
  CONFIRM_QUEUE: count(128),
  DATABASE_POOL: count(10),
  WAL_HELD_MAX_MB: walHeldMaxMb,
  ...orderLogSettings,
  ORDER_SILENCE_MS: count(DEFAULT_SILENCE_MS),
  ORDER_WINDOW_MS: count(DEFAULT_WINDOW_MS),
  ORDER_BUFFER: count(100_000),
  ORDERS_PER_SECOND: count(5_000),
});

/** One half of OpenID Connect is a mistake, and would be found out at the first sign-in only. */
export const serverEnv = shape.superRefine((env, ctx) => {
  checkOrderLog(env, ctx);
  const names = ["OIDC_DISCOVERY_URL", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"] as const;
  const missing = names.filter(name => env[name] === undefined);
  if (missing.length === 0 || missing.length === names.length) return;
  for (const name of missing)
    ctx.addIssue({ code: "custom", path: [name], message: "is needed by the other OIDC_ variables" });
});

export type ServerEnv = z.output<typeof serverEnv>;
