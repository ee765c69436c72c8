import { AppError } from "../../domain/app-error";
import { matchesSomething, type ReservedWord } from "../../domain/username/reserved-words";
import type { PrismaClient } from "../../store/postgres";
import { violatedConstraint } from "../../store/unique-violation";
import { type AuditContext, writeAudit } from "../audit/write-audit";

/** Servers read new words within five seconds. @throws AppError BAD_REQUEST | CONFLICT */
export async function addReservedWord(
  prisma: PrismaClient,
  audit: AuditContext,
  word: ReservedWord,
): Promise<{ id: string }> {
  requireMatchable(word);
  const { pattern, kind, reason } = word;
  try {
    return await prisma.$transaction(async tx => {
      const { id } = await tx.reservedWord.create({
        data: { pattern, kind, reason, createdBy: audit.actor.name },
        select: { id: true },
      });
      const note = { target: `reserved:${pattern}`, after: { id, pattern, kind }, reason, answer: { id } };
      await writeAudit(tx, audit, note);
      return { id };
    });
  } catch (error) {
    if (violatedConstraint(error) === null) throw error;
    throw new AppError("CONFLICT", `“${pattern}” (${kind}) is already reserved.`);
  }
}

/** Refuses a word that folds to nothing and so matches no name. @throws AppError BAD_REQUEST */
export function requireMatchable(word: Pick<ReservedWord, "pattern" | "kind">): void {
  if (matchesSomething(word)) return;
  throw new AppError("BAD_REQUEST", `No username can match “${word.pattern}”.`, { rule: "unmatchable" });
}
