import { z } from "zod";

const item = (maxBytes: number, what: string) =>
  z
    .string()
    .min(1)
    .refine(value => value.isWellFormed() && Buffer.byteLength(value) <= maxBytes, `not a ${what}`);

const key = item(128, "username key");
/** Left out when it is the key. The longest of a name of 32 characters has 672 bytes. */
const skeleton = item(1_024, "skeleton").optional();

const payloadSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("username.claimed"), payload: z.object({ v: z.literal(1), key, skeleton }) }),
  z.object({
    type: z.literal("username.renamed"),
    payload: z.object({ v: z.literal(1), key, skeleton, previousKey: key }),
  }),
  z.object({
    type: z.literal("username.released"),
    payload: z.object({ v: z.literal(1), previousKey: key }),
  }),
]);

/** A row of the table; `seq` is a bigint as text. */
export type OutboxRow = { seq: string; type: string; payload: unknown; attempts: number; dataErrors: number };

/** What the relay does for a row: add these items, nothing (bits are never cleared), or report a data error. */
export type OutboxIntent = { add: string[] } | { nothing: true } | { dataError: string };

export function readIntent(row: Pick<OutboxRow, "type" | "payload">): OutboxIntent {
  const parsed = payloadSchema.safeParse(row);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return { dataError: `${issue?.path.join(".") || "row"}: ${issue?.message ?? "not valid"}` };
  }
  if (parsed.data.type === "username.released") return { nothing: true };
  const { payload } = parsed.data;
  return { add: payload.skeleton === undefined ? [payload.key] : [payload.key, payload.skeleton] };
}
