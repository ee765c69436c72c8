import { AppError } from "../../domain/app-error";
import { kindOf, type SuggestionKind } from "../../domain/orders/split-suggestion";
import type { PrismaClient } from "../../store/postgres";
import { type AuditContext, writeAudit } from "../audit/write-audit";
import type { SuggestionStore } from "./suggestion-store";

export type DismissSuggestion = {
  symbol: string;
  kind: SuggestionKind;
  forMinutes: number;
  reason: string;
};

/**
 * Hides a suggestion for some minutes. Automatic mode does not change the symbol in that time.
 * @throws AppError NOT_FOUND when it is not proposed any more
 */
export async function dismissSuggestion(
  { prisma, suggestions }: { prisma: PrismaClient; suggestions: SuggestionStore },
  audit: AuditContext,
  { symbol, kind, forMinutes, reason }: DismissSuggestion,
): Promise<{ until: string }> {
  const entry = (await suggestions.read())?.entries.find(one => one.symbol === symbol);
  if (!entry || kindOf(entry) !== kind)
    throw new AppError("NOT_FOUND", `A ${kind} of ${symbol} is not proposed any more. Reload the page.`);
  const until = new Date(Date.now() + forMinutes * 60_000);
  const answer = { until: until.toISOString() };
  const data = { dismissedKind: kind, dismissedUntil: until, dismissedBy: audit.actor.name };
  await prisma.$transaction(async tx => {
    await tx.symbolWatch.upsert({ where: { symbol }, create: { symbol, ...data }, update: data });
    await writeAudit(tx, audit, {
      target: `symbol:${symbol}`,
      before: { proposed: kind, factor: entry.proposed, utilization: entry.utilization },
      after: { dismissedUntil: answer.until },
      reason,
      answer,
    });
  });
  return answer;
}
