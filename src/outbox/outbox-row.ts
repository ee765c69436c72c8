import { z } from "zod";

const key = z
  .string()
  .min(1)
  .refine(value => value.isWellFormed() && Buffer.byteLength(value) <= 128, "not a username key");

const payloadSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("username.claimed"), payload: z.object({ v: z.literal(1), key }) }),
  z.object({
    type: z.literal("username.renamed"),
    payload: z.object({ v: z.literal(1), key, previousKey: key }),
  }),
  z.object({
    type: z.literal("username.released"),
    payload: z.object({ v: z.literal(1), previousKey: key }),
  }),
]);

/** A row of the table; `seq` is a bigint as text. */
export type OutboxRow = { seq: string; type: string; payload: unknown; attempts: number; dataErrors: number };

/** What the relay does for a row: add a key, nothing (bits are never cleared), or report a data error. */
export type OutboxIntent = { add: string } | { nothing: true } | { dataError: string };

export function readIntent(row: Pick<OutboxRow, "type" | "payload">): OutboxIntent {
  const parsed = payloadSchema.safeParse(row);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return { dataError: `${issue?.path.join(".") || "row"}: ${issue?.message ?? "not valid"}` };
  }
  return parsed.data.type === "username.released" ? { nothing: true } : { add: parsed.data.payload.key };
}
