import { BulkheadRejectedError, bulkhead } from "cockatiel";
import { AppError } from "../../domain/app-error";
import { foldPattern, type ReservedWord } from "../../domain/username/reserved-words";
import { STRICT_TRANSLATION } from "../../domain/username/strict-skeleton";
import { Prisma, type PrismaClient } from "../../store/postgres";
import { requireMatchable } from "./add-reserved-word";

type Word = Pick<ReservedWord, "pattern" | "kind">;

const EXAMPLES = 10;
/** Blocks of the table that are read at once: some tens of milliseconds. */
const BLOCKS = 2_000;
const DEADLINE_MS = 700;

/** `checked`: users whose names were compared; without `complete` there are more, and `blocked` is at least so many. */
export type DryRun = { blocked: number; examples: string[]; checked: number; complete: boolean };

/** One scan of all users at a time per server. */
const slot = bulkhead(1, 4);

/** Counts the existing usernames that the word would refuse, by the rules of sign-up's matcher. */
export async function dryRunReservedWord(prisma: PrismaClient, word: Word): Promise<DryRun> {
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

type Scanned = { checked: number; blocked: number; examples: string[] };

/** The strict skeleton of a user's name, its parts between dots. */
const STRICT = Prisma.sql`replace(
  translate(username_skeleton, ${STRICT_TRANSLATION.from}, ${STRICT_TRANSLATION.to}), 'rn', 'm')`;
const WHOLE = Prisma.sql`replace(${STRICT}, '.', '')`;

async function scanUsers(prisma: PrismaClient, word: Word): Promise<DryRun> {
  const { folded, strict } = foldPattern(word.pattern);
  switch (word.kind) {
    case "exact": {
      const user = await prisma.user.findUnique({ where: { usernameKey: folded } });
      const examples = user ? [user.username] : [];
      return { blocked: examples.length, examples, checked: examples.length, complete: true };
    }
    case "contains":
      return countMatching(prisma, Prisma.sql`position(${strict} IN ${WHOLE}) > 0`);
    case "skeleton": {
      const others = await prisma.reservedWord.findMany({ where: { kind: "skeleton" } });
      const words = [strict].concat(others.map(({ pattern }) => foldPattern(pattern).strict));
      const parts = Prisma.sql`string_to_array(${STRICT}, '.')`;
      return countMatching(
        prisma,
        Prisma.sql`(${WHOLE} = ${strict} OR (${strict} = ANY(${parts}) AND ${parts} <@ ${words}::text[]))`,
      );
    }
  }
}

/** The database compares the names, from the newest part of the table on, until the time is over. */
async function countMatching(prisma: PrismaClient, matches: Prisma.Sql): Promise<DryRun> {
  const deadline = performance.now() + DEADLINE_MS;
  const [size] = await prisma.$queryRaw<{ blocks: number }[]>`
    SELECT (pg_relation_size('users') / current_setting('block_size')::int)::float8 AS blocks`;
  const result: DryRun = { blocked: 0, examples: [], checked: 0, complete: true };
  for (let end = size!.blocks; end > 0; end -= BLOCKS) {
    if (performance.now() > deadline) return { ...result, complete: false };
    const [from, to] = [`(${Math.max(0, end - BLOCKS)},0)`, `(${end},0)`];
    const [found] = await prisma.$queryRaw<Scanned[]>`
      SELECT count(*)::int AS checked, count(*) FILTER (WHERE ${matches})::int AS blocked,
        coalesce((array_agg(username) FILTER (WHERE ${matches}))[:${EXAMPLES}], '{}') AS examples
      FROM users WHERE ctid >= ${from}::tid AND ctid < ${to}::tid`;
    result.checked += found!.checked;
    result.blocked += found!.blocked;
    result.examples = result.examples.concat(found!.examples).slice(0, EXAMPLES);
  }
  return result;
}
