import { BulkheadRejectedError, bulkhead } from "cockatiel";
import { AppError } from "../../domain/app-error";
import { compileReserved, type ReservedWord } from "../../domain/username/reserved-words";
import type { PrismaClient } from "../../store/postgres";
import { requireMatchable } from "./add-reserved-word";

const PAGE = 10_000;
const EXAMPLES = 10;
/** Enough for some millions of users; with more, the result is marked as incomplete. */
const DEADLINE_MS = 15_000;

export type DryRun = { blocked: number; examples: string[]; checked: number; complete: boolean };

/** One scan of all users at a time per server. */
const slot = bulkhead(1, 4);

/** Counts the existing usernames that the word would refuse, with the matcher of sign-up. */
export async function dryRunReservedWord(
  prisma: PrismaClient,
  word: Pick<ReservedWord, "pattern" | "kind">,
): Promise<DryRun> {
  requireMatchable(word);
  try {
    return await slot.execute(() => scanUsers(prisma, word));
  } catch (error) {
    if (!(error instanceof BulkheadRejectedError)) throw error;
    throw new AppError("BUSY", "Other dry runs are running. Try again in a moment.", {
      retryAfterMs: 5_000,
    });
  }
}

async function scanUsers(
  prisma: PrismaClient,
  word: Pick<ReservedWord, "pattern" | "kind">,
): Promise<DryRun> {
  const match = compileReserved([{ ...word, reason: "" }]);
  const result: DryRun = { blocked: 0, examples: [], checked: 0, complete: false };
  const deadline = Date.now() + DEADLINE_MS;
  let after = "";
  while (Date.now() < deadline) {
    const rows = await prisma.user.findMany({
      where: { usernameKey: { gt: after } },
      orderBy: { usernameKey: "asc" },
      take: PAGE,
      select: { username: true, usernameKey: true, usernameSkeleton: true },
    });
    for (const { username, usernameKey, usernameSkeleton } of rows) {
      if (!match({ key: usernameKey, skeleton: usernameSkeleton })) continue;
      result.blocked += 1;
      if (result.examples.length < EXAMPLES) result.examples.push(username);
    }
    result.checked += rows.length;
    const last = rows.at(-1);
    if (rows.length < PAGE || !last) return { ...result, complete: true };
    after = last.usernameKey;
  }
  return result;
}
