import { AppError } from "../app-error";
import type { TradedSymbol } from "./order";

/**
 *     add             halt            delist             add
 *    -----> trading --------> halted --------> delisted -----> trading
 *              ^                |
 *              +---- resume ----+
 */
export type ListingState = "trading" | "halted" | "delisted";

export const LISTING_CHANGES = {
  halt: { from: "trading", to: "halted" },
  resume: { from: "halted", to: "trading" },
  delist: { from: "halted", to: "delisted" },
} as const satisfies Record<string, { from: ListingState; to: ListingState }>;
export type ListingChange = keyof typeof LISTING_CHANGES;

/** Decimals of prices and of quantities: with more, the largest amount would be below 1,000. */
export const MAX_DECIMALS = 12;

/** Why, since when and by whom a symbol is halted. */
export type Halt = { reason: string; since: Date; by: string };

/** A symbol that trades or is halted. `listingVersion` counts its changes of state. */
export type ListedSymbol = TradedSymbol & { listingVersion: number; halt: Halt | null };

type Listing = { symbol: string; state: ListingState; version: number };

/**
 * Whether the change fits the present state, and the state that its author has seen.
 * @throws AppError CONFLICT
 */
export function checkListingChange(
  { symbol, state, version }: Listing,
  change: ListingChange,
  expectedVersion: number,
): void {
  if (version !== expectedVersion) throw listingConflict(symbol);
  if (state === LISTING_CHANGES[change].from) return;
  if (change === "halt") throw new AppError("CONFLICT", `${symbol} is halted already.`);
  if (change === "resume") throw new AppError("CONFLICT", `${symbol} is not halted: it trades.`);
  throw new AppError("CONFLICT", `${symbol} trades. Halt it first.`);
}

export const listingConflict = (symbol: string): AppError =>
  new AppError(
    "CONFLICT",
    `Another user changed the listing of ${symbol} in the meantime. Reload and try again.`,
  );

/** Orders of a halted symbol are refused. Cancels are not: they make delisting possible. */
export function haltProblem({ symbol, halt }: ListedSymbol): string | null {
  if (halt === null) return null;
  const reason = halt.reason.replace(/[.!?]+$/, "");
  return `${symbol} is halted: ${reason}. It accepts only cancels until a trader resumes it.`;
}

/** What is known about the orders of a symbol. `null` is unknown. */
export type PendingOrders = {
  openOrders: number;
  /** In the ordered stream, but not matched yet. */
  behind: number | null;
  /** How long the aggregator of the symbol is behind the clock. */
  lagMs: number | null;
};

/** Orders from before a halt reach the ordered stream at most so long after their servers took them. */
const SETTLED_MS = 10_000;

type DelistCheck = { symbol: string; state: ListingState; sinceMs: number; factor: number };

/** Why a symbol can't be delisted now, and what to do; null: it can be. */
export function delistProblem(
  { symbol, state, sinceMs, factor }: DelistCheck,
  { openOrders, behind, lagMs }: PendingOrders,
): string | null {
  if (state !== "halted") return `${symbol} is not halted. Halt it first.`;
  if (factor > 1) return `${symbol} is split by ${factor}. Cool it down first.`;
  if (behind === null)
    return `Redis does not have the ordered stream of ${symbol}: how many of its orders wait is unknown. Look at the page Engine first.`;
  if (behind > 0)
    return `${count(behind, "order")} of ${symbol} ${behind === 1 ? "is" : "are"} not matched yet. Wait for the engine, then try again.`;
  if (openOrders > 0)
    return `${symbol} has ${count(openOrders, "open order")}. Cancel ${openOrders === 1 ? "it" : "them"} first: a halted symbol accepts cancels.`;
  if (lagMs === null)
    return `The lag of the aggregator of ${symbol} is unknown: orders can still be on their way. Look at the page Stream, then try again.`;
  const leftMs = SETTLED_MS - (sinceMs - lagMs);
  if (leftMs <= 0) return null;
  return `Orders of ${symbol} from before the halt can still be on their way. Try again in ${Math.ceil(leftMs / 1_000)} s.`;
}

const count = (n: number, noun: string) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
