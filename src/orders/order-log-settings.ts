import { z } from "zod";
import { SHARD_LIMITS } from "./shard-limits";

/**
 * A server that has not published for so long is fenced. It bounds how long a server that was killed delays
 * matching; a server that only stands still for less loses nothing.
 */
export const DEFAULT_SILENCE_MS = 1_000;
/** The article's window: how far producers that publish nothing may lag behind the clock. */
export const DEFAULT_WINDOW_MS = 200;

/** Where the records of a log are: environment of every process that writes or reads them. */
export const orderLogSettings = {
  ORDER_LOG_NAME: z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/)
    .default("orders"),
  ORDER_LOG: z.enum(["redis", "kinesis"]).default("redis"),
  ORDER_LIMITS: z.string().regex(SHARD_LIMITS, "on, off, or records/bytes per second").default("on"),
  KINESIS_STREAM: z
    .string()
    .regex(/^[a-zA-Z0-9_.-]{1,128}$/)
    .optional()
    .describe("the name of an existing stream"),
  KINESIS_ENDPOINT: z.url().optional().describe("another endpoint than AWS's, such as http://localhost:4567"),
};

const shape = z.object(orderLogSettings);
export type OrderLogSettings = z.output<typeof shape>;

/** A refinement of schemas with these settings: one variable requires another. */
export function checkOrderLog(
  env: Pick<OrderLogSettings, "ORDER_LOG" | "KINESIS_STREAM">,
  ctx: z.RefinementCtx,
): void {
  if (env.ORDER_LOG === "kinesis" && env.KINESIS_STREAM === undefined)
    ctx.addIssue({ code: "custom", path: ["KINESIS_STREAM"], message: "is needed by ORDER_LOG=kinesis" });
}
