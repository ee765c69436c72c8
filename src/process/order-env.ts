import { z } from "zod";
import { accountsProblem } from "../domain/access/account-binding";
import { MAX_SHARDS } from "../domain/orders/shard-change";
import {
  checkOrderLog,
  DEFAULT_SILENCE_MS,
  DEFAULT_WINDOW_MS,
  orderLogSettings,
} from "../orders/order-log-settings";
import { count, processSettings } from "./process-env";

/** What aggregator and engine share. */
const shared = {
  ...processSettings,
  ORDER_LOG_NAME: orderLogSettings.ORDER_LOG_NAME,
  ORDER_LEASE_MS: count(2_000),
  ORDER_POLL_MS: count(4),
};

const aggregatorShape = z.object({
  ...shared,
  ...orderLogSettings,
  ORDER_SHARDS: z.coerce.number().int().min(1).max(MAX_SHARDS).default(5),
  ORDER_SILENCE_MS: count(DEFAULT_SILENCE_MS),
  ORDER_WINDOW_MS: count(DEFAULT_WINDOW_MS),
  /** 10 where watermarks cost nothing, 50 where each is a record that counts against a shard's limits. */
  ORDER_WATERMARK_INTERVAL_MS: z.coerce.number().int().positive().optional(),
  ORDER_MAX_BUFFERED_EVENTS: count(500_000),
  ORDER_MAX_UNREAD: count(2_000_000),
  KINESIS_READER: z.enum(["polling", "fanout"]).default("polling"),
  KINESIS_CONSUMER: z
    .string()
    .regex(/^[a-zA-Z0-9_.-]{1,128}$/)
    .optional()
    .describe("a consumer's name of this process's own, for KINESIS_READER=fanout"),
});
export const aggregatorEnv = aggregatorShape.superRefine(checkOrderLog);
export type AggregatorEnv = z.output<typeof aggregatorEnv>;

/** Account ids, or prefixes that end in *, separated by commas. */
const accountList = z
  .string()
  .transform(text =>
    text
      .split(",")
      .map(entry => entry.trim())
      .filter(Boolean),
  )
  .superRefine((accounts, ctx) => {
    const problem = accountsProblem(accounts);
    if (problem) ctx.addIssue({ code: "custom", message: problem });
  });

export const engineEnv = z.object({
  ...shared,
  ENGINE_SNAPSHOT_MS: count(2_000),
  ENGINE_CREDIT_ACCOUNTS: accountList.prefault(""),
});
export const labEnv = z.object(processSettings);
export type LabEnv = z.output<typeof labEnv>;
export type EngineEnv = z.output<typeof engineEnv>;
