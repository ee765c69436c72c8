import type { Order } from "../domain/orders/order";
import { busy } from "./busy";

/** Symbols whose engine is too far behind, as the registry named them last. */
export class PausedSymbols {
  private untilMs: Readonly<Record<string, number>> = {};

  /** @param untilMs until when each symbol is held, milliseconds since 1970 */
  replace(untilMs: Readonly<Record<string, number>>): void {
    this.untilMs = untilMs;
  }

  /** @throws AppError BUSY with `retryAfterMs` when one of the orders is for a held symbol */
  refuse(orders: readonly Order[], nowMs: number): void {
    for (const { symbol } of orders) {
      const untilMs = this.untilMs[symbol];
      if (untilMs !== undefined && untilMs > nowMs)
        throw busy(`${symbol} is behind: its orders wait to be matched`, Math.ceil(untilMs - nowMs));
    }
  }
}
