import { AppError } from "../../domain/app-error";
import {
  nextPlan,
  type PlacementMode,
  type SplitChange,
  type SplitPlan,
  type Strategy,
} from "../../domain/orders/split-plan";
import type { ChooseSubKeys } from "../../orders/plan-book";
import type { PrismaClient, Tx } from "../../store/postgres";
import { violatedConstraint } from "../../store/unique-violation";
import { type AuditContext, writeAudit } from "../audit/write-audit";
import { orderLogUnreadable } from "../orders/order-log-unreadable";

/** `expectedEpoch`: the epoch that the caller has seen, 0 if the symbol was never split. */
export type ChangeSplitPlan = SplitChange & { symbol: string; expectedEpoch: number };

export type ChangeSplitPlanDeps = {
  prisma: PrismaClient;
  shardCount: () => Promise<number>;
  /** Without it, or when it returns null, the first process that reads the plan and has figures chooses. */
  chooseSubKeys?: ChooseSubKeys;
};

/**
 * Splits a symbol, merges it, or moves its expiry: a new plan with the next epoch, which every producer
 * follows within a second.
 * @throws AppError NOT_FOUND | CONFLICT (another change was faster) | RATE_LIMITED (cooldown) | BAD_REQUEST | BUSY
 */
export async function changeSplitPlan(
  deps: ChangeSplitPlanDeps,
  audit: AuditContext,
  change: ChangeSplitPlan,
): Promise<{ epoch: number }> {
  const { symbol, reason } = change;
  const shards = await deps.shardCount().catch((cause: unknown) => {
    throw orderLogUnreadable(cause);
  });
  try {
    return await deps.prisma.$transaction(async tx => {
      const current = await readPlan(tx, symbol);
      const plan = nextPlan(current, { ...change, setBy: audit.actor.name }, { now: new Date(), shards });
      const isChosen = plan.factor > 1 && plan.placement === "planned";
      const subKeys = (isChosen && deps.chooseSubKeys?.(symbol, plan.factor)) || [];
      await tx.splitPlan.create({ data: { ...plan, subKeys }, select: { epoch: true } });
      await writeAudit(tx, audit, {
        target: `symbol:${symbol}`,
        before: current ? shown(current) : { factor: 1 },
        after: shown(plan),
        reason,
        answer: { epoch: plan.epoch },
      });
      return { epoch: plan.epoch };
    });
  } catch (error) {
    // Of two concurrent changes the primary key (symbol, epoch) refuses one.
    if (violatedConstraint(error) === null) throw error;
    throw new AppError("CONFLICT", `Another user changed ${symbol} in the meantime. Reload and try again.`);
  }
}

async function readPlan(tx: Tx, symbol: string): Promise<SplitPlan | null> {
  const known = await tx.tradedSymbol.findFirst({
    where: { symbol, state: { not: "delisted" } },
    select: { symbol: true },
  });
  if (!known) throw new AppError("NOT_FOUND", `There is no symbol “${symbol}”.`);
  const row = await tx.splitPlan.findFirst({ where: { symbol }, orderBy: { epoch: "desc" } });
  return row && { ...row, strategy: row.strategy as Strategy, placement: row.placement as PlacementMode };
}

function shown({ epoch, factor, strategy, placement, expiresAt }: SplitPlan) {
  return { epoch, factor, strategy, placement, expiresAt: expiresAt?.toISOString() ?? null };
}
