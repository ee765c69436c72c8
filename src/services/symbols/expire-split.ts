import { AppError } from "../../domain/app-error";
import { EXPIRY, type SplitPlan } from "../../domain/orders/split-plan";
import type { PrismaClient } from "../../store/postgres";
import { changeSplitPlan } from "./change-split-plan";

/**
 * Stores that "hot until" has passed: a plan with the next epoch that is not split, and its audit row.
 * Producers follow the clock before that. Of concurrent writers the primary key (symbol, epoch) accepts one.
 * @returns false if the symbol was changed in the meantime, or less than the cooldown ago
 */
export async function expireSplit(
  deps: { prisma: PrismaClient; shardCount: () => Promise<number> },
  plan: SplitPlan & { expiresAt: Date },
): Promise<boolean> {
  const { symbol, epoch, strategy, placement, expiresAt } = plan;
  const actor = { kind: "system" as const, id: null, name: EXPIRY, role: null };
  const audit = { actor, action: "symbol.expire", requestId: null, address: null };
  const until = `${expiresAt.toISOString().slice(0, 19).replace("T", " ")} UTC`;
  const reason = `“Hot until” ${until} has passed.`;
  const change = { symbol, factor: 1, strategy, placement, expiresAt: null, reason, expectedEpoch: epoch };
  try {
    await changeSplitPlan(deps, audit, change);
    return true;
  } catch (error) {
    if (error instanceof AppError && (error.code === "CONFLICT" || error.code === "RATE_LIMITED"))
      return false;
    throw error;
  }
}
