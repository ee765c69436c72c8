import { AppError } from "../app-error";

/**
 * `account`: an account's orders share a sub-key. `random`: an order goes to any sub-key; it spreads one
 * account's orders too, as long as that account waits for each to be durable.
 */
export const STRATEGIES = ["account", "random"] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** `planned` picks suffixes that land on distinct shards; `plain` takes 1 to N, as the article does. */
export const PLACEMENTS = ["planned", "plain"] as const;
export type PlacementMode = (typeof PLACEMENTS)[number];

/** How a symbol is split. A plan is never changed; a plan with the next epoch replaces it. */
export type SplitPlan = {
  symbol: string;
  epoch: number;
  /** Number of sub-keys; 1 is not split. */
  factor: number;
  strategy: Strategy;
  placement: PlacementMode;
  reason: string;
  setBy: string;
  setAt: Date;
  /** "Hot until": from then on the symbol counts as not split. Null: no expiry. */
  expiresAt: Date | null;
};

/** A symbol's number of sub-keys at this moment, above 1. */
export type FactorInForce = Pick<SplitPlan, "symbol" | "factor">;

export type SplitChange = Pick<SplitPlan, "factor" | "strategy" | "placement" | "reason" | "expiresAt">;

/** A symbol's plan stays for so long, so that every producer has followed it before the next. */
export const COOLDOWN_MS = 5_000;
export const MAX_HOT_MS = 7 * 86_400_000;

/** The names of the two automatic actors in `setBy` and in the audit log. */
export const AUTOMATIC_MODE = "automatic mode";
export const EXPIRY = "expiry";

/** The factor that producers use at a time. */
export function factorAt(plan: SplitPlan | undefined, nowMs: number): number {
  if (!plan) return 1;
  return plan.expiresAt !== null && plan.expiresAt.getTime() <= nowMs ? 1 : plan.factor;
}

/**
 * The plan that follows `current`. `expectedEpoch` is the epoch that the caller has seen (0: none).
 * @throws AppError CONFLICT (another change was faster) | RATE_LIMITED (cooldown) | BAD_REQUEST
 */
export function nextPlan(
  current: SplitPlan | null,
  change: SplitChange & { symbol: string; expectedEpoch: number; setBy: string },
  { now, shards }: { now: Date; shards: number },
): SplitPlan {
  const { symbol, factor, strategy, placement, reason, expiresAt, setBy, expectedEpoch } = change;
  const epoch = current?.epoch ?? 0;
  if (epoch !== expectedEpoch)
    throw new AppError("CONFLICT", `Another user changed ${symbol} in the meantime. Reload and try again.`);
  if (!Number.isInteger(factor) || factor < 1 || factor > shards)
    throw new AppError("BAD_REQUEST", `Split by 1 to ${shards}: there are ${shards} shards.`, {
      rule: "factor",
    });
  if (expiresAt !== null && (expiresAt <= now || expiresAt.getTime() - now.getTime() > MAX_HOT_MS))
    throw new AppError("BAD_REQUEST", "Hot until must be in the future, at most 7 days ahead.", {
      rule: "expiresAt",
    });
  const waitMs = current ? current.setAt.getTime() + COOLDOWN_MS - now.getTime() : 0;
  if (waitMs > 0)
    throw new AppError(
      "RATE_LIMITED",
      `${symbol} was changed a moment ago. Try again in ${Math.ceil(waitMs / 1_000)} s.`,
      { retryAfterMs: waitMs },
    );
  return { symbol, epoch: epoch + 1, factor, strategy, placement, reason, setBy, setAt: now, expiresAt };
}
