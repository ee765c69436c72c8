import type { EngineRow } from "../contract";
import type { State } from "../parts/state-badge";

/** A smaller backlog is normal: these orders are in transit. */
const MIN_BACKLOG = 200;

export type EngineState = {
  state: State;
  word: "caught up" | "lagging" | "stopped" | "out of order" | "not running";
};

/** An engine with a backlog of more than one second's orders is lagging. */
export function engineStateOf({
  book,
  problem,
  behind,
  ordersPerSecond,
  violations,
}: EngineRow): EngineState {
  if (violations > 0) return { state: "critical", word: "out of order" };
  if (problem !== null) return { state: "critical", word: "stopped" };
  if (!book) return { state: "unknown", word: "not running" };
  if ((behind ?? 0) > Math.max(MIN_BACKLOG, ordersPerSecond ?? 0))
    return { state: "warning", word: "lagging" };
  return { state: "ok", word: "caught up" };
}

/** Whole units as a decimal with all its digits, so that the points of a column are aligned. */
export function unitsText(units: number, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  return decimals === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
}
