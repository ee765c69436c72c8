import { AUTOMATIC_MODE } from "../../../domain/orders/split-plan";
import type { SplitInput, SymbolRow } from "../contract";

export type SplitDraft = {
  factorText: string;
  strategy: "random" | "account";
  placement: "planned" | "plain";
  /** Milliseconds from now on; "kept": the expiry that it has; null: without an expiry. */
  hotFor: number | "kept" | null;
};

type Drafted = Pick<
  SymbolRow,
  "factor" | "strategy" | "placement" | "expiresAt" | "recommended" | "suggestion"
>;

/** A draft starts from the current split, so that a change keeps each field that is not edited. */
export function draftOf(row: Drafted, request: "split" | "merge"): SplitDraft {
  const { strategy, placement, factor, expiresAt, recommended, suggestion } = row;
  const isSplit = factor > 1;
  const wanted = suggestion?.kind === "split" ? suggestion.factor : isSplit ? factor : (recommended ?? 2);
  return {
    factorText: String(request === "merge" ? 1 : Math.max(2, wanted)),
    strategy,
    placement: isSplit ? placement : "planned",
    hotFor: !isSplit ? HOUR_MS : expiresAt ? "kept" : null,
  };
}

const HOUR_MS = 3_600_000;

/** Whether the change makes an automatic split manual. Automatic mode never changes a manual split. */
export const takesOver = ({ factor, setBy, automatic }: SymbolRow, nextFactor: number): boolean =>
  automatic.on && factor > 1 && setBy === AUTOMATIC_MODE && nextFactor > 1;

const MAX_FACTOR = 500;

/** A whole number from 1 to 500, or null. */
export function readFactor(text: string): number | null {
  if (!/^\s*\d{1,4}\s*$/.test(text)) return null;
  const factor = Number(text);
  return factor >= 1 && factor <= MAX_FACTOR ? factor : null;
}

/** The problem of a typed factor. */
export function factorProblem(text: string, shardCount: number): string | undefined {
  const factor = readFactor(text);
  if (factor === null) return `Type a whole number from 1 to ${shardCount}.`;
  if (factor > shardCount)
    return `There are ${shardCount} shards: ${factor} sub-keys would share shards without a gain. Type at most ${shardCount}.`;
  return undefined;
}

type About = {
  symbol: string;
  factor: number;
  epoch: number;
  reason: string;
  /** The expiry of the current split. */
  keptUntil: string | null;
  nowMs: number;
};

export function splitInput(
  { strategy, placement, hotFor }: SplitDraft,
  { symbol, factor, epoch, reason, keptUntil, nowMs }: About,
): SplitInput {
  const until = hotFor === "kept" || hotFor === null ? null : new Date(nowMs + hotFor).toISOString();
  const expiresAt = factor === 1 ? null : hotFor === "kept" ? keptUntil : until;
  return { symbol, factor, strategy, placement, expectedEpoch: epoch, expiresAt, reason: reason.trim() };
}
