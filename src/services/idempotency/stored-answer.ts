import { createHash } from "node:crypto";
import { AppError } from "../../domain/app-error";
import { Prisma, type PrismaClient, type Tx } from "../../store/postgres";

/** What one client wants to be done once, under a key that it made for this. */
export type Intent = {
  /** Who asked, such as `user:<id>`: the keys of one caller mean nothing to another one. */
  caller: string;
  key: string;
  procedure: string;
  /** Of what was asked for. It never covers a password: it is no slow hash. */
  inputHash: string;
};

/** The answer of a change that has nothing to tell. */
export const DONE = { ok: true } as const;

export const hashInput = (input: unknown): string =>
  createHash("sha256")
    .update(JSON.stringify(input) ?? "")
    .digest("hex");

/**
 * Stores the answer in the transaction of the change, for a day. A second request with the same key waits here for
 * the first one's end.
 * @throws AppError CONFLICT when the first one was committed: the caller reads its answer
 */
export async function storeAnswer(
  tx: Tx,
  { caller, key, procedure, inputHash }: Intent,
  answer: Prisma.InputJsonValue | null,
): Promise<void> {
  const json = answer === null ? null : JSON.stringify(answer);
  const stored = await tx.$executeRaw`
    INSERT INTO idempotency_keys AS kept (caller, key, procedure, input_hash, answer)
    VALUES (${caller}, ${key}, ${procedure}, ${inputHash}, ${json}::jsonb)
    ON CONFLICT (caller, key) DO UPDATE
      SET procedure = excluded.procedure, input_hash = excluded.input_hash, answer = excluded.answer,
          expires_at = excluded.expires_at
      WHERE kept.expires_at <= now()`;
  if (stored === 0) throw new AppError("CONFLICT", "Another request has the same idempotency key.");
}

/**
 * The answer to the first request with this key; undefined when there was none.
 * @throws AppError CONFLICT (the key belongs to another request) | BUSY (begun, and the outcome is not known yet)
 */
export async function readAnswer(
  prisma: PrismaClient,
  { caller, key, procedure, inputHash }: Intent,
): Promise<unknown | undefined> {
  const stored = await prisma.idempotencyKey.findUnique({ where: { caller_key: { caller, key } } });
  if (!stored || stored.expiresAt.getTime() <= Date.now()) return undefined;
  if (stored.procedure !== procedure || stored.inputHash !== inputHash)
    throw new AppError(
      "CONFLICT",
      "This idempotency key belongs to another request. Make a new one per change.",
      {
        rule: "idempotency_key",
      },
    );
  if (stored.answer === null)
    throw new AppError(
      "BUSY",
      "An earlier request began this change, and its outcome is not known yet. Look at its audit row before you ask with another key.",
      { retryAfterMs: 2_000, outcome: "unknown" },
    );
  return stored.answer;
}

/** Of a change that is not made by its transaction alone: the outcome, once it is known. */
export async function settleAnswer(
  prisma: PrismaClient,
  intent: Intent | undefined,
  answer: Prisma.InputJsonValue,
): Promise<void> {
  if (!intent) return;
  const { caller, key } = intent;
  await prisma.idempotencyKey.updateMany({ where: { caller, key }, data: { answer } });
}

/** Of a change that was begun and not made: the same request may be made again. */
export async function dropAnswer(prisma: PrismaClient, intent: Intent | undefined): Promise<void> {
  if (!intent) return;
  const { caller, key } = intent;
  await prisma.idempotencyKey.deleteMany({ where: { caller, key, answer: { equals: Prisma.DbNull } } });
}
