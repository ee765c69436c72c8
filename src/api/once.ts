import { AppError } from "../domain/app-error";
import type { AuditContext } from "../services/audit/write-audit";
import { hashInput, type Intent, readAnswer } from "../services/idempotency/stored-answer";
import type { Context } from "./context";
import type { Caller } from "./guard";

type ChangeContext = Context & { caller: Caller["actor"]; audit: AuditContext };
type Change<Input> = { ctx: ChangeContext; input: Input; path: string };
/** What the repeat of a change answers, where the stored answer is not all of it. */
type Repeat<Output> = (call: { ctx: ChangeContext; answer: unknown }) => Promise<Output>;

/**
 * The resolver of a change that is made once per idempotency key: a repeat of the request gets the first answer,
 * which `writeAudit` stored in the transaction of the change.
 */
export function once<Input, Output>(
  change: (call: Change<Input>) => Promise<Output>,
  repeat: Repeat<Output> = async ({ answer }) => answer as Output,
): (call: Change<Input>) => Promise<Output> {
  return async ({ ctx, input, path }) => {
    const intent = readIntent({ ctx, input, path });
    if (!intent) return change({ ctx, input, path });
    const { prisma } = ctx.services;
    const earlier = await readAnswer(prisma, intent);
    if (earlier !== undefined) return repeat({ ctx, answer: earlier });
    try {
      return await change({ ctx: { ...ctx, audit: { ...ctx.audit, intent } }, input, path });
    } catch (error) {
      // The answer to COMMIT got lost, or of two requests at the same time the other one made the change.
      const meanwhile = await readAnswer(prisma, intent).catch((reading: unknown) => {
        throw reading instanceof AppError ? reading : error;
      });
      if (meanwhile === undefined) throw error;
      return repeat({ ctx, answer: meanwhile });
    }
  };
}

function readIntent({ ctx, input, path }: Change<unknown>): Intent | null {
  const key = readIdempotencyKey(ctx.head.idempotencyKey);
  if (key === null) return null;
  const { kind, id, name } = ctx.audit.actor;
  return { caller: `${kind}:${id ?? name}`, key, procedure: path, inputHash: hashInput(input) };
}

/** @throws AppError BAD_REQUEST for a key that can't be one */
export function readIdempotencyKey(header: string): string | null {
  if (header === "") return null;
  if (/^"?[\x21\x23-\x7e]{8,128}"?$/.test(header)) return header.replaceAll('"', "");
  throw new AppError(
    "BAD_REQUEST",
    "The header Idempotency-Key needs 8 to 128 visible ASCII characters, such as a UUID.",
    { rule: "idempotency_key" },
  );
}
