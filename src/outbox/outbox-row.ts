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

/** A row as it lies in the table; `seq` is a bigint, kept as text. */
export type OutboxRow = { seq: string; type: string; payload: unknown; attempts: number; dataErrors: number };

/** What a row asks of the filter: a key to add, nothing (bits are never cleared), or it makes no sense. */
export type OutboxIntent = { add: string } | { nothing: true } | { dataError: string };

export function readIntent(row: Pick<OutboxRow, "type" | "payload">): OutboxIntent {
  const parsed = payloadSchema.safeParse(row);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return { dataError: `${issue?.path.join(".") || "row"}: ${issue?.message ?? "not understood"}` };
  }
  return parsed.data.type === "username.released" ? { nothing: true } : { add: parsed.data.payload.key };
}
