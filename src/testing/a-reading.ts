import type { SymbolReading } from "../domain/orders/split-suggestion";

/** A symbol that needs three shards and has one, or any other. */
export const aReading = (change: Partial<SymbolReading> = {}): SymbolReading => ({
  epoch: 0,
  factor: 1,
  changedAtMs: null,
  utilization: 2,
  shardUtilization: 1,
  throttledPerSecond: 0,
  recommended: 3,
  expires: false,
  ...change,
});
