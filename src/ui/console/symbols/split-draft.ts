import type { SplitInput } from "../contract";

export type SplitDraft = {
  factorText: string;
  strategy: "random" | "account";
  placement: "planned" | "plain";
  /** Null: until somebody changes it. */
  hotForMs: number | null;
};

const MAX_FACTOR = 500;

/** A whole number from 1 to 500, or null. */
export function readFactor(text: string): number | null {
  if (!/^\s*\d{1,4}\s*$/.test(text)) return null;
  const factor = Number(text);
  return factor >= 1 && factor <= MAX_FACTOR ? factor : null;
}

/** Why this factor can't be had, in words. */
export function factorProblem(text: string, shardCount: number): string | undefined {
  const factor = readFactor(text);
  if (factor === null) return `Type a whole number from 1 to ${shardCount}.`;
  if (factor > shardCount)
    return `There are ${shardCount} shards: ${factor} sub-keys would share them and buy nothing. Type ${shardCount} at most.`;
  return undefined;
}

export function wishOf(
  { strategy, placement, hotForMs }: SplitDraft,
  { symbol, factor, epoch, reason }: { symbol: string; factor: number; epoch: number; reason: string },
): SplitInput {
  const expiresAt = factor === 1 || hotForMs === null ? null : new Date(Date.now() + hotForMs).toISOString();
  return { symbol, factor, strategy, placement, expectedEpoch: epoch, expiresAt, reason: reason.trim() };
}
