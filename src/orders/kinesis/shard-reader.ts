import type { ReadRecord } from "../../domain/orders/order-log";

/** One shard's records in its order, fetched or pushed ahead of whoever takes them. */
export interface ShardReader {
  /**
   * Takes what has come, at most `limit` records, and sees to it that more comes. Waits for nothing.
   * @throws OrderLogSetupError
   */
  take(limit: number): ReadRecord[];
  close(): void;
}

/** Says what went wrong and will be tried again, such as for the log. */
export type OnProblem = (what: string, error: unknown) => void;
