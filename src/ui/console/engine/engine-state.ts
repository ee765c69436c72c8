import type { EngineRow } from "../contract";
import type { State } from "../parts/state-badge";

/** Orders that are behind for a moment are on their way. */
const LEAST_BEHIND = 200;

export type EngineState = {
  state: State;
  word: "in step" | "behind" | "stands still" | "out of order" | "no engine";
};

/** Behind by more than a second's orders: the engine does not keep up. */
export function engineStateOf({
  book,
  problem,
  behind,
  ordersPerSecond,
  violations,
}: EngineRow): EngineState {
  if (violations > 0) return { state: "critical", word: "out of order" };
  if (problem !== null) return { state: "critical", word: "stands still" };
  if (!book) return { state: "unknown", word: "no engine" };
  if ((behind ?? 0) > Math.max(LEAST_BEHIND, ordersPerSecond ?? 0))
    return { state: "warning", word: "behind" };
  return { state: "ok", word: "in step" };
}

/** Whole units as a decimal with all its digits, so that the points of a column stand under each other. */
export function unitsText(units: number, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  return decimals === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
}
